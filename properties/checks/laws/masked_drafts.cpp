// A draft row under a tree mask is the decode of a chain: the context, and behind it only the drafts that the row may
// attend. Within the bounds of both.
#include <algorithm>

#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"
#include "properties/output.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;

Result check(Trial& trial) {
  const xqacheck_problem view = trial.view();
  // With a window the depth decides what a row sees, not its place behind the context.
  if (view.mask_kind != XQACHECK_MASK_TREE || view.window != 0 || view.beam_width != 1 ||
      view.k_new.dtype != XQACHECK_NONE)
    return not_here();
  const TokenRows rows(trial.problem());
  if (!rows.all_apart()) return not_here();
  const reference::Sight sight(view);
  Problem moved = trial.problem().clone();
  std::vector<std::uint32_t> row(view.requests), lens(view.requests);
  for (const reference::Sequence& s : sight.sequences()) {
    if (s.rows == 0 || s.length == 0) return not_here();
    row[s.request] = s.rows - 1;  // the last: of the deepest paths in trees that grow by depth
    std::uint32_t end = static_cast<std::uint32_t>(s.drafts_begin());
    for (std::uint32_t draft = 0; draft < s.rows; ++draft)
      if (sight.sees(s, s.rows - 1, s.drafts_begin() + draft))
        copy_token(moved, trial.problem(), rows, s.request, static_cast<std::uint32_t>(s.drafts_begin()) + draft,
                   end++);
    if (end == 0) return not_here();
    lens[s.request] = end;
  }
  Side was(trial, trial.problem(), "the row under the mask");
  const Problem chain = as_decodes(moved, row, lens);
  Side is(trial, chain, "decoded behind the drafts that its mask allows");
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  return within_reach(was, is, [&](const std::function<void(Place, Place)>& use) {
    for (std::uint32_t b = 0; b < view.requests; ++b)
      for (std::uint32_t h = 0; h < view.q_heads; ++h) use({first_row(view, b) + row[b], h}, {b, h});
  });
}

}  // namespace

const Law masked_drafts_law = {"tree path as chain", check};

}  // namespace xqacheck::properties::laws
