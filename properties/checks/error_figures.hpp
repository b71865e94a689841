// How large the error of an output is as a whole, and where it sits: what reports draw.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/verdict.hpp"
#include "reference/golden.hpp"

namespace xqacheck::properties {

// `out` has the strides of problem.out. Elements without a bound, and those that are due to be NaN or Inf, are left
// out.
ErrorFigures error_figures(const xqacheck_problem& problem, const reference::Golden& golden,
                           const xqacheck_numerics& numerics, const std::vector<std::byte>& out);

// By (head, dim) and by (request, row); an axis with more places than cells has several places a cell.
std::vector<ErrorMap> error_maps(const xqacheck_problem& problem, const reference::Golden& golden,
                                 const xqacheck_numerics& numerics, const std::vector<std::byte>& out);

}  // namespace xqacheck::properties
