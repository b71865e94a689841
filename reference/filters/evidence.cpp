#include "reference/filters/evidence.hpp"

#include <cmath>
#include <stdexcept>

#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {
namespace {

bool is_judged(const Golden& golden, std::size_t element, const NumberFormat& format) {
  const std::size_t row = element / golden.dim_v;
  return golden.special[row] == 0 && golden.empty[row] == 0 && std::isfinite(golden.worst[element]) &&
         std::fabs(golden.out[element]) + golden.worst[element] < format.largest;
}

}  // namespace

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
