// A window that reaches the first token changes nothing: bit for bit where the kernel is deterministic and keeps its
// split count.
#include <fmt/format.h>

#include <algorithm>

#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;

Result check(Trial& trial) {
  Problem without = trial.problem().clone(), wide = trial.problem().clone();
  std::uint32_t longest = 0;
  for (std::uint32_t b = 0; b < wide.description.requests; ++b) longest = std::max(longest, length_of(wide, b));
  without.description.window = 0;
  // Just long enough: row i of n starts at S - n + 1 + i - W, at most S - W, which is 0.
  wide.description.window = std::max(longest, 1u);
  Side was(trial, without, "no window"),
      is(trial, wide, fmt::format("with a window of {} tokens", wide.description.window));
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  const bool bits = trial.kernel().deterministic != 0 && was.outcome().route.splits == is.outcome().route.splits;
  return bits ? same_bits(was, is, all_places(is.view())) : within_reach(was, is, all_places(is.view()));
}

}  // namespace

const Law wide_window_law = {"wide window", check};

}  // namespace xqacheck::properties::laws
