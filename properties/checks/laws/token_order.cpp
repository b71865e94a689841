// The order of the tokens does not matter where all are visible. Within the bounds of both: sums run in another order.
#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  if (d.mask_kind != XQACHECK_MASK_NONE || d.max_rows != 1 || d.ragged != 0 || d.window != 0 || d.beam_width != 1 ||
      d.k_new.dtype != XQACHECK_NONE || d.skip_softmax_factor > 0)  // what may be skipped depends on the order
    return not_here();
  const TokenRows rows(trial.problem());
  if (!rows.all_apart()) return not_here();
  Problem reversed = trial.problem().clone();
  bool changed = false;
  for (std::uint32_t b = 0; b < d.requests; ++b) {
    const std::uint32_t length = length_of(reversed, b);
    for (std::uint32_t t = 0; t < length; ++t) copy_token(reversed, trial.problem(), rows, b, t, length - 1 - t);
    changed = changed || length > 1;
  }
  if (!changed) return not_here();
  Side was(trial, trial.problem(), "the plain run"),
      is(trial, reversed, "with the tokens of every request in reverse order");
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  return within_reach(was, is, all_places(is.view()));
}

}  // namespace

const Law token_order_law = {"token order", check};

}  // namespace xqacheck::properties::laws
