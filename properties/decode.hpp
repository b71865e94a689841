// Elements of output tensors as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::properties {

// |a - b| in units of the format's grid at `b`, subnormal spacing below its smallest normal; +inf if either is not
// finite.
double ulps_between(std::uint32_t dtype, double a, double b);

}  // namespace xqacheck::properties
