// V doubled doubles the output. Bit for bit with bf16 numbers of ordinary size, where no sum is near underflow or
// overflow; within the bound for fp16 and e4m3, whose subnormal partials and outputs round differently.
#include <cmath>

#include "properties/checks/laws/law.hpp"
#include "properties/checks/laws/tokens.hpp"
#include "properties/edit_problem.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Problem;

// Products, sums and partials of V in this range stay normal fp32 and bf16 numbers whatever a kernel does with them:
// weights below 2^-30 add less than half a unit to any 24-bit sum of weights near 1.
constexpr double kSmallest = 0x1p-40, kLargest = 0x1p40;

double doubled(double stored) {
  return 2 * stored;
}

Result check(Trial& trial) {
  const xqacheck_problem& d = trial.problem().description;
  if (d.kv_aliased != 0 || d.k_new.dtype != XQACHECK_NONE || d.beam_width > 1) return not_here();
  Problem changed = trial.problem().clone();
  bool exact = false;
  if (d.v.dtype == XQACHECK_FP16 || d.v.dtype == XQACHECK_BF16) {
    const TokenRows rows(trial.problem());
    const Range range = range_of_v(trial.problem(), rows);
    if (range.largest > (d.v.dtype == XQACHECK_FP16 ? 16384 : 0x1p120)) return not_here();  // would overflow
    exact = d.v.dtype == XQACHECK_BF16 && d.out.dtype == XQACHECK_BF16 && range.smallest > kSmallest &&
            range.largest < kLargest;
    change_v(changed, rows, doubled);
  } else {  // the codes of an 8-bit cache have no room: its scale does
    changed.description.v_scale.value *= 2;
    *changed.tensor(reference::TensorId::v_scale).as<float>() *= 2;
  }
  Side plain(trial, trial.problem(), "the plain run"), twice(trial, changed, "with V doubled");
  if (auto result = plain.unusable()) return *result;
  if (auto result = twice.unusable()) return *result;
  if (!exact || trial.kernel().deterministic == 0) return within_reach(plain, twice, all_places(twice.view()), 2);
  // Twice a bf16 number is the number with the next exponent: compare values, which are exact.
  Result result = within_reach(plain, twice, all_places(twice.view()), 2);
  if (result.state == Result::State::broken) return result;
  for (std::uint32_t row = 0; row < d.total_rows; ++row)
    for (std::uint32_t head = 0; head < d.q_heads; ++head)
      for (std::uint32_t dim = 0; dim < d.head_dim_v; ++dim) {
        const double before = plain.value(row, head, dim), after = twice.value(row, head, dim);
        // Cancelled sums may end below the range in which every step is exact.
        if (!(std::abs(before) > kSmallest) || after == 2 * before) continue;
        result.state = Result::State::broken;
        result.verdict = failed("", "with V doubled, an output element is not exactly twice what it was");
        result.verdict.evidence = {{0, row, head, dim, after, 2 * before, 0}};
        return result;
      }
  return result;
}

}  // namespace

const Law v_power_law = {"V doubled", check};

}  // namespace xqacheck::properties::laws
