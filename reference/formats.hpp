// Number formats in which problems store their tensors, from their definitions. Round to nearest, ties to even.
//
//   fp16  1-5-10, bias 15, Inf and NaN; overflow to Inf from 65520
//   bf16  1-8-7, bias 127, Inf and NaN
//   e4m3  1-4-3, bias 7, no Inf, NaN 0x7F and 0xFF (OCP 8-bit floating point specification 1.0); saturates at 448
//   int8  two's complement; saturates at -128 and 127; NaN becomes 0
// The emulation of kernels has its own conversions; tests compare the two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/case.hpp"

namespace xqacheck::reference {

// Nearest value of the format, as its bits (8-bit formats in the low byte). NaN becomes the positive quiet NaN.
std::uint16_t encode(Dtype dtype, double value);
// Exact value of the bits.
double decode(Dtype dtype, std::uint16_t bits);
// Largest finite value.
double largest(Dtype dtype);
// Byte that poisons unused storage: 0xFF is NaN in every float format, int8 has none and takes 0x7F.
inline std::uint8_t poison_byte(Dtype dtype) {
  return dtype == Dtype::int8 ? 0x7F : 0xFF;
}

// Stores values[i] / scale, `count` of them, at `out`: the quotient is rounded to fp32 first (exact for scales that are
// powers of two), then to the format.
void encode_row(Dtype dtype, const float* values, std::size_t count, float scale, std::byte* out);
// Exact values of `count` stored elements, not scaled.
void decode_row(Dtype dtype, const std::byte* stored, std::size_t count, float* out);

}  // namespace xqacheck::reference
