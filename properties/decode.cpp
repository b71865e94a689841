#include "properties/decode.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/output.hpp"
#include "properties/power_of_two.hpp"

namespace xqacheck::properties {
namespace {

// Significand bits stored, exponent bias.
struct Grid {
  int mantissa, bias;
};

Grid grid_of(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
      return {10, 15};
    case XQACHECK_BF16:
      return {7, 127};
    case XQACHECK_E4M3:
      return {3, 7};
    default:
      return {23, 127};
  }
}

// Value of a sign-exponent-significand pattern. E4M3 has no infinity: only 0x7f and 0xff are NaN.
double from_bits(std::uint32_t bits, int exponent_bits, Grid grid, bool has_infinity) {
  const std::uint32_t mantissa = bits & ((1u << grid.mantissa) - 1);
  const std::uint32_t all_ones = (1u << exponent_bits) - 1;
  const std::uint32_t exponent = (bits >> grid.mantissa) & all_ones;
  const double sign = (bits >> (grid.mantissa + exponent_bits)) & 1 ? -1 : 1;
  if (exponent == all_ones && has_infinity)
    return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == all_ones && mantissa == (1u << grid.mantissa) - 1) return std::numeric_limits<double>::quiet_NaN();
  const double fraction = static_cast<double>(mantissa) / (1u << grid.mantissa);
  return exponent == 0 ? sign * fraction * power_of_two(1 - grid.bias)
                       : sign * (1 + fraction) * power_of_two(static_cast<int>(exponent) - grid.bias);
}

}  // namespace

std::size_t bytes_of(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
    case XQACHECK_BF16:
      return 2;
    case XQACHECK_INT8:
    case XQACHECK_E4M3:
      return 1;
    default:
      return 4;
  }
}

double decode(std::uint32_t dtype, const std::byte* bytes) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes, bytes_of(dtype));  // little endian, as every machine this runs on
  switch (dtype) {
    case XQACHECK_FP16:
      return from_bits(bits, 5, grid_of(dtype), true);
    case XQACHECK_BF16:  // the upper half of a float
      return std::bit_cast<float>(bits << 16);
    case XQACHECK_E4M3:
      return from_bits(bits, 4, grid_of(dtype), false);
    default:
      return std::bit_cast<float>(bits);
  }
}

double ulps_between(std::uint32_t dtype, double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  const Grid grid = grid_of(dtype);
  const int exponent = b == 0 ? 1 - grid.bias : std::max(std::ilogb(b), 1 - grid.bias);
  return std::abs(a - b) / power_of_two(exponent - grid.mantissa);
}

}  // namespace xqacheck::properties
