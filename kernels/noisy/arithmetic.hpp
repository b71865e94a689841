// The arithmetic of a noisy kernel: which numbers are rounded to what, and how products are added up.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/flash32/formats.hpp"

namespace xqacheck::kernels::noisy {

struct Arithmetic {
  const char* name;
  std::uint32_t q_format;  // XQACHECK_NONE: q stays as it is
  std::uint32_t p_format;
  float p_scale;
  int accumulator_bits;          // 24 to nearest: plain fp32; else the matrix unit below
  int fraction_bits;             // below the largest term's exponent, that terms keep (0: plain fp32)
  int steps;                     // products of one fused sum
  std::uint32_t partial_format;  // XQACHECK_NONE: the dtype of q
  bool rescales_p;               // P relative to its own tile's maximum, then multiplied in p_format
  bool sum_of_rounded;
  bool strided_splits;  // split i of n takes tiles i, i + n, …
};

// The nearest number of the format, through its bits.
inline float rounded(float value, std::uint32_t dtype) {
  float result = value;
  switch (dtype) {
    case XQACHECK_BF16:
      return flash32::from_bf16(flash32::to_bf16(value));
    case XQACHECK_FP16:
      return flash32::from_fp16(flash32::to_fp16(value));
    case XQACHECK_E4M3:
      return flash32::from_e4m3(flash32::to_e4m3(value));
    default:
      return result;
  }
}

// Exponent by which the matrix unit aligns an operand: subnormals count as the smallest normal number.
inline int alignment(float value, std::uint32_t dtype) {
  const int lowest = dtype == XQACHECK_E4M3 ? -6 : dtype == XQACHECK_FP16 ? -14 : -126;
  return std::max(std::ilogb(value), lowest);
}

// Toward zero to a multiple of 2^exponent.
inline double cut(double value, int exponent) {
  const double unit = std::ldexp(1.0, exponent);
  return std::trunc(value / unit) * unit;
}

// One fused sum c + sum a[i] b[i * stride] over `count` products, as matrix units do it: every term is cut to a common
// grid below the largest exponent, the sum is exact, the result is cut to the accumulator's bits.
inline float fused(const Arithmetic& x, float c, const float* a, std::uint32_t a_dtype, const float* b,
                   std::uint32_t b_dtype, std::size_t stride, std::size_t count) {
  int top = std::numeric_limits<int>::min();
  double plain = c;
  if (c != 0 && std::isfinite(c)) top = std::ilogb(c);
  for (std::size_t i = 0; i < count; ++i) {
    const float u = a[i], v = b[i * stride];
    plain += static_cast<double>(u) * v;
    if (u != 0 && v != 0 && std::isfinite(u) && std::isfinite(v))
      top = std::max(top, alignment(u, a_dtype) + alignment(v, b_dtype));
  }
  if (!std::isfinite(plain) || top == std::numeric_limits<int>::min()) return static_cast<float>(plain);
  const int grid = top - x.fraction_bits;
  double sum = cut(c, grid);
  for (std::size_t i = 0; i < count; ++i) sum += cut(static_cast<double>(a[i]) * b[i * stride], grid);
  if (sum == 0) return 0;
  return static_cast<float>(cut(sum, std::max(std::ilogb(sum), -126) - x.accumulator_bits + 1));
}

// c + sum a[i] b[i * stride].
inline float add_products(const Arithmetic& x, float c, const float* a, std::uint32_t a_dtype, const float* b,
                          std::uint32_t b_dtype, std::size_t stride, std::size_t count) {
  if (x.fraction_bits == 0) {
    for (std::size_t i = 0; i < count; ++i) c += a[i] * b[i * stride];
    return c;
  }
  for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(x.steps)) {
    const std::size_t n = std::min(count - i, static_cast<std::size_t>(x.steps));
    c = fused(x, c, a + i, a_dtype, b + i * stride, b_dtype, stride, n);
  }
  return c;
}

}  // namespace xqacheck::kernels::noisy
