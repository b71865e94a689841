// Reach: how far the output of a correct kernel may lie from the golden value of an element, rounding included. What
// laws need that compare two runs of different problems: both lie within their reach.
#pragma once

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/property.hpp"
#include "reference/golden.hpp"

namespace xqacheck::properties {

// A problem with its golden result and what the kernel made of it.
struct Judged {
  const xqacheck_problem& problem;
  const reference::Golden& golden;
  const Outcome& outcome;
};

// Infinite where the golden model promises nothing, where NaN or Inf is due, and where the output may saturate. The
// lesser of the worst case and of bias + z sigma, z as in the judgement of a whole run (doc/error-bounds.md).
double reach(const xqacheck_problem& problem, const xqacheck_numerics& numerics, const reference::Golden& golden,
             std::uint32_t row, std::uint32_t head, std::uint32_t dim);

double golden_value(const reference::Golden& golden, std::uint32_t row, std::uint32_t head, std::uint32_t dim);
double output_value(const xqacheck_problem& problem, const Outcome& outcome, std::uint32_t row, std::uint32_t head,
                    std::uint32_t dim);

}  // namespace xqacheck::properties
