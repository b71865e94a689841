// Evidence: the error of a run, element by element, with the variance that a correct kernel would have there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden.hpp"

namespace xqacheck::reference::filters {

// All vectors are [R][q_heads][head_dim_v], dense. Elements that cannot be judged (special or empty rows, no promise,
// NaN or Inf in the output, saturated values) have weight 0 and error 0.
struct Evidence {
  std::vector<double> error;          // got - golden
  std::vector<double> weight;         // 1 / (sigma^2 + grid variance)
  std::vector<double> grid_variance;  // of the output rounding: spacing^2 / 12 on the grid at the golden value
  std::uint64_t judged = 0;
  std::uint64_t not_finite = 0;  // outputs that are NaN or Inf where a number was promised
};

// `got` is the kernel's output, decoded. Golden must hold sigma and bias.
Evidence make_evidence(const xqacheck_problem& problem, const Golden& golden, std::span<const double> got);

}  // namespace xqacheck::reference::filters
