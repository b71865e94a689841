#include "reference/slow/numbers.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace xqacheck::reference::slow {
namespace {

constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();
constexpr long double kInf = std::numeric_limits<long double>::infinity();

// A binary floating-point format: sign bit, then exponent, then fraction.
struct Float {
  int exponent_bits, fraction_bits;
  bool ieee_specials;   // the top exponent holds infinities and NaN; e4m3 instead has one NaN pattern a sign
  long double largest;  // largest finite value
};

int bias(const Float& f) {
  return (1 << (f.exponent_bits - 1)) - 1;
}

const Float* float_format(std::uint32_t dtype) {
  static const Float fp16{5, 10, true, 65504.0L};
  static const Float bf16{8, 7, true, std::ldexp(255.0L, 120)};        // 1.1111111b * 2^127
  static const Float fp32{8, 23, true, std::ldexp(16777215.0L, 104)};  // 2^24 - 1 units of 2^104
  static const Float e4m3{4, 3, false, 448.0L};                        // 1.110b * 2^8: 1.111b is the NaN
  switch (dtype) {
    case XQACHECK_FP16:
      return &fp16;
    case XQACHECK_BF16:
      return &bf16;
    case XQACHECK_FP32:
      return &fp32;
    case XQACHECK_E4M3:
      return &e4m3;
    default:
      return nullptr;
  }
}

long double float_value(const Float& f, std::uint32_t bits) {
  const std::uint32_t fraction = bits & ((1u << f.fraction_bits) - 1);
  const std::uint32_t exponent = (bits >> f.fraction_bits) & ((1u << f.exponent_bits) - 1);
  const bool negative = (bits >> (f.fraction_bits + f.exponent_bits)) & 1u;
  const std::uint32_t top = (1u << f.exponent_bits) - 1;
  long double magnitude = 0;
  if (exponent == top && f.ieee_specials) {
    magnitude = fraction == 0 ? kInf : kNan;
  } else if (exponent == top && fraction == (1u << f.fraction_bits) - 1) {
    magnitude = kNan;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<long double>(fraction), 1 - bias(f) - f.fraction_bits);
  } else {
    const std::uint32_t significand = fraction | (1u << f.fraction_bits);
    magnitude =
        std::ldexp(static_cast<long double>(significand), static_cast<int>(exponent) - bias(f) - f.fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

// Nearest integer, ties to even, without the rounding mode of the machine.
long double nearest_integer(long double x) {
  const long double below = std::floor(x);
  const long double distance = x - below;  // exact: both have the same ulp or a smaller one
  if (distance < 0.5L) return below;
  if (distance > 0.5L) return below + 1;
  return std::fmod(below, 2.0L) == 0 ? below : below + 1;
}

long double round_float(const Float& f, long double value) {
  if (std::isnan(value) || value == 0) return value;
  const long double magnitude = std::fabs(value);
  long double rounded = kInf;
  if (std::isfinite(magnitude)) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent-1), 2^exponent)
    const int smallest = 1 - bias(f);  // exponent of the smallest normal number; below it the grid stays the same
    const int ulp = std::max(exponent - 1, smallest) - f.fraction_bits;
    rounded = std::ldexp(nearest_integer(std::ldexp(magnitude, -ulp)), ulp);
  }
  if (rounded > f.largest) rounded = f.ieee_specials ? kInf : f.largest;
  return value < 0 ? -rounded : rounded;
}

}  // namespace

unsigned element_bytes(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_INT8:
    case XQACHECK_E4M3:
      return 1;
    case XQACHECK_FP16:
    case XQACHECK_BF16:
      return 2;
    case XQACHECK_FP32:
    case XQACHECK_INT32:
    case XQACHECK_UINT32:
      return 4;
    default:
      throw std::invalid_argument("dtype " + std::to_string(dtype) + " has no elements");
  }
}

long double value_of_bits(std::uint32_t dtype, std::uint32_t bits) {
  if (const Float* f = float_format(dtype)) return float_value(*f, bits);
  switch (dtype) {
    case XQACHECK_INT8:
      return bits & 0x80u ? static_cast<long double>(bits & 0xffu) - 256 : static_cast<long double>(bits & 0xffu);
    case XQACHECK_INT32:
      return static_cast<long double>(static_cast<std::int32_t>(bits));
    case XQACHECK_UINT32:
      return static_cast<long double>(bits);
    default:
      throw std::invalid_argument("dtype " + std::to_string(dtype) + " has no values");
  }
}

long double round_to(std::uint32_t dtype, long double value) {
  if (const Float* f = float_format(dtype)) return round_float(*f, value);
  if (dtype != XQACHECK_INT8) throw std::invalid_argument("no rounding to dtype " + std::to_string(dtype));
  if (std::isnan(value)) return 0;
  if (value >= 127) return 127;
  if (value <= -128) return -128;
  return nearest_integer(value);
}

}  // namespace xqacheck::reference::slow
