// Where V is 1 everywhere and there are no sinks, the output is 1 (times its scales), whatever the scores: the weights
// add up to 1. Within the bound: a row sum may add other roundings of the weights than the second product.
#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"

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
  return is_near(side, [want](std::uint32_t, std::uint32_t, std::uint32_t) { return want; });
}

}  // namespace

const Law ones_law = {"equal V", check};

}  // namespace xqacheck::properties::laws
