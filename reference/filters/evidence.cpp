#include "reference/filters/evidence.hpp"

#include <cmath>
#include <stdexcept>

#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {
namespace {

// Half of a cell holds 8 parts. If all elements of a run sit in one half cell, their errors are at most sqrt(3)
// standard deviations each, all of one sign; the 8 parts taken as independent then understate the sum by sqrt(8) *
// sqrt(3) = 4.9, which is below the smallest alarm level (doc/filters.md F4). More parts would not be safe, fewer lose
// power.
constexpr double kPartsOfACell = 16;

bool is_judged(const Golden& golden, std::size_t element, const NumberFormat& format) {
  const std::size_t row = element / golden.dim_v;
  return golden.special[row] == 0 && golden.empty[row] == 0 && std::isfinite(golden.worst[element]) &&
         std::fabs(golden.out[element]) + golden.worst[element] < format.largest;
}

}  // namespace

std::int64_t rounding_key(std::uint32_t dtype, double value) {
  const NumberFormat format = format_of(dtype);
  const double cell = spacing(format, value);
  const auto part = static_cast<std::int64_t>(std::floor(value / cell * kPartsOfACell));
  return part * 4096 + (std::ilogb(cell) & 4095);
}

Evidence make_evidence(const xqacheck_problem& problem, const Golden& golden, std::span<const double> got) {
  const std::size_t elements = golden.out.size();
  if (got.size() != elements || golden.sigma.size() != elements) {
    throw std::invalid_argument(
        "filters: output and golden result must have the same number of elements, with an error model");
  }
  const NumberFormat format = format_of(problem.out.dtype);
  Evidence evidence;
  evidence.error.assign(elements, 0);
  evidence.weight.assign(elements, 0);
  evidence.grid_variance.assign(elements, 0);
  for (std::size_t i = 0; i < elements; ++i) {
    if (!is_judged(golden, i, format)) continue;
    if (!std::isfinite(got[i])) {
      ++evidence.not_finite;
      continue;
    }
    const double cell = spacing(format, golden.out[i]);
    evidence.grid_variance[i] = cell * cell / 12;  // variance of a uniform error of one cell
    evidence.error[i] = got[i] - golden.out[i];
    evidence.weight[i] = 1 / (golden.sigma[i] * golden.sigma[i] + evidence.grid_variance[i]);
    ++evidence.judged;
  }
  return evidence;
}

}  // namespace xqacheck::reference::filters
