#include "properties/checks/reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/checks/number_format.hpp"
#include "properties/output.hpp"
#include "reference/judge.hpp"

namespace xqacheck::properties {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
// fp64 rounding of the golden value itself, in units of sum p |v| (doc/golden.md: the two models agree to 1e-12).
constexpr double kGoldenError = 1e-12;

double z_of_a_run() {
  static const double z = [] {
    const reference::JudgeOptions options;
    return reference::z_limit(options.run_elements, options.false_alarm_rate / 2);
  }();
  return z;
}

}  // namespace

double golden_value(const reference::Golden& golden, std::uint32_t row, std::uint32_t head, std::uint32_t dim) {
  return golden.out[(std::size_t{row} * golden.heads + head) * golden.dim_v + dim];
}

double output_value(const xqacheck_problem& problem, const Outcome& outcome, std::uint32_t row, std::uint32_t head,
                    std::uint32_t dim) {
  return decode(problem.out.dtype, outcome.out.data() + out_offset(problem, row, head, dim));
}

double reach(const xqacheck_problem& problem, const xqacheck_numerics& numerics, const reference::Golden& golden,
             std::uint32_t row, std::uint32_t head, std::uint32_t dim) {
  const std::size_t at = (std::size_t{row} * golden.heads + head) * golden.dim_v + dim;
  if (golden.special[at / golden.dim_v] != 0 || !std::isfinite(golden.out[at])) return kInf;
  double error = std::min(golden.worst[at], golden.bias[at] + z_of_a_run() * golden.sigma[at]);
  if (!std::isfinite(error)) return kInf;
  error += kGoldenError * (golden.sum_p_abs_v[at] + std::abs(golden.out[at]));
  const double value = std::abs(golden.out[at]);
  if (problem.out.dtype == XQACHECK_E4M3 && numerics.double_rounded_output != 2) {
    const NumberFormat first = number_format(problem.q.dtype);
    error += std::max((value + error) * half_unit(first), half_smallest(first));
  }
  const NumberFormat out = number_format(problem.out.dtype);
  if (value + error > out.largest * (1 - 2 * half_unit(out))) return kInf;
  return error + std::max((value + error) * half_unit(out), half_smallest(out));
}

}  // namespace xqacheck::properties
