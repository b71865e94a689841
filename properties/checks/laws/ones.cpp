// Where V is 1 everywhere and there are no sinks, the output is 1 (times its scales), whatever the scores: the weights
// add up to 1. Within the bound: a row sum may add other roundings of the weights than the second product.
//
// A tile that skip-softmax leaves out is missing in the output and in the row sum alike, so the output stays 1 while the
// bound has to admit either. Here the bound without skipping serves, twice: relative roundings are the same for what is
// left, and absolute ones are divided by a row sum that is at least half of the whole one. That much is left where the
// bound with skipping is at most the signal, as it holds the share of what may be skipped once for the output and once
// for the row sum (doc/error-bounds.md B10).
#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"
#include "properties/checks/reach.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;

// A number of every format, the 8-bit ones included.
double sixteen(double) {
  return 16;
}

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  if (d.kv_aliased != 0 || d.k_new.dtype != XQACHECK_NONE || d.beam_width != 1) return not_here();
  Problem changed = trial.problem().clone();
  drop_sinks(changed);
  change_v(changed, TokenRows(trial.problem()), sixteen);
  Side side(trial, changed, "with V the same everywhere");
  if (auto result = side.unusable()) return *result;
  const double want = 16 * double{d.v_scale.value} * double{d.rcp_out_scale.value};
  const auto due = [want](std::uint32_t, std::uint32_t, std::uint32_t) { return want; };
  if (!(d.skip_softmax_factor > 0)) return is_near(side, due);
  Problem unskipped = changed.clone();
  unskipped.description.skip_softmax_factor = 0;
  const xqacheck_problem whole = unskipped.view(nullptr, nullptr);
  reference::GoldenOptions options;
  options.threads = trial.options().threads;
  const reference::Golden golden = reference::golden(whole, &trial.kernel().numerics, options);
  return is_near(side, due, [&](std::uint32_t row, std::uint32_t head, std::uint32_t dim) {
    const double skipping = side.reach(row, head, dim);
    return skipping > want ? skipping : 2 * reach(whole, trial.kernel().numerics, golden, row, head, dim);
  });
}

}  // namespace

const Law ones_law = {"equal V", check};

}  // namespace xqacheck::properties::laws
