// Rounding of host floats to the 16-bit formats and e4m3, inline. A rounded value is kept as the float that it equals; its
// bit pattern is made where memory or the matrix unit wants one. Same results as emulation/arith/plain/convert.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulation/arith/format.hpp"
#include "emulation/arith/plain/convert.hpp"

namespace xqacheck::emulation {

// f32 to bf16, to nearest even; NaN gives 0x7fff.
inline std::uint16_t bf16_bits(float x) {
  if (x != x) return 0x7fff;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// f32 to fp16, to nearest even. Normal results: add half a unit and shift; the rest goes to the plain form.
inline std::uint16_t fp16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  constexpr std::uint32_t kSmallestNormal = 0x38800000u;  // 2^-14
  constexpr std::uint32_t kOverflow = 0x477ff000u;        // 65520: the tie between the largest number and infinity
  if (magnitude == 0) return static_cast<std::uint16_t>(bits >> 16);
  if (magnitude < kSmallestNormal || magnitude >= kOverflow) return arith::plain::cvt_rn_f16_f32(bits);
  const std::uint32_t rebased = magnitude - (112u << 23);  // exponent bias 127 to 15
  const std::uint32_t rounded = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | rounded);
}

inline float half_value(arith::Format format, std::uint16_t bits) {
  if (format == arith::Format::bf16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  return std::bit_cast<float>(arith::plain::cvt_f32_f16(bits));
}

inline std::uint16_t half_bits(arith::Format format, float x) {
  return format == arith::Format::bf16 ? bf16_bits(x) : fp16_bits(x);
}

inline std::uint8_t e4m3_bits(float x) { return arith::plain::cvt_rn_satfinite_e4m3_f32(std::bit_cast<std::uint32_t>(x)); }
inline float e4m3_value(std::uint8_t bits) { return std::bit_cast<float>(arith::plain::cvt_f32_e4m3(bits)); }

inline float round_half(arith::Format format, float x) { return half_value(format, half_bits(format, x)); }

// Sum of two 16-bit values in their own arithmetic. f32 has more than twice their bits and two: rounding twice is harmless.
inline float add_half(arith::Format format, float a, float b) { return round_half(format, a + b); }

}  // namespace xqacheck::emulation
