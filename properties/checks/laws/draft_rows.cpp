// Row i of linear drafts is the decode of a request that ends with draft i. Within the bounds of both: decodes have
// other tiles, masks and split plans.
#include <algorithm>

#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;

Result check(Trial& trial) {
  const xqacheck_problem view = trial.view();
  if (view.mask_kind != XQACHECK_MASK_CAUSAL || view.beam_width != 1 || view.k_new.dtype != XQACHECK_NONE)
    return not_here();
  for (std::uint32_t b = 0; b < view.requests; ++b)
    if (row_count(view, b) == 0 || length_of(trial.problem(), b) == 0) return not_here();
  Side drafts(trial, trial.problem(), "the draft row");
  if (auto result = drafts.unusable()) return *result;
  Result all = not_here();
  for (const std::uint32_t wanted : {0u, view.max_rows / 2, view.max_rows - 1}) {
    std::vector<std::uint32_t> row(view.requests), lens(view.requests);
    for (std::uint32_t b = 0; b < view.requests; ++b) {
      row[b] = std::min(wanted, row_count(view, b) - 1);
      lens[b] = length_of(trial.problem(), b) - row_count(view, b) + 1 + row[b];
    }
    const Problem decode = as_decodes(trial.problem(), row, lens);
    Side is(trial, decode, "decoded alone, ending with that draft");
    if (auto result = is.unusable()) return *result;
    const Result one = within_reach(drafts, is, [&](const std::function<void(Place, Place)>& use) {
      for (std::uint32_t b = 0; b < view.requests; ++b)
        for (std::uint32_t h = 0; h < view.q_heads; ++h) use({first_row(view, b) + row[b], h}, {b, h});
    });
    if (one.state == Result::State::broken) return one;
    all.elements += one.elements;
    all.state = std::max(all.state, one.state);
  }
  return all;
}

}  // namespace

const Law draft_rows_law = {"drafts as decodes", check};

}  // namespace xqacheck::properties::laws
