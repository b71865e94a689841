// The f32 scalar operations of the kernels (.rn.ftz) on host floats: the same bits as emulation/arith/plain, inline and
// fast. A result near 2^-126 goes to the plain form, because .ftz decides on tininess after rounding and the host does not.
// Rules: doc/arithmetic.md. NaN payloads are not kept (no step of a kernel lets one through to its output).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulation/arith/plain/f32.hpp"

namespace xqacheck::emulation::f32 {

inline constexpr float kSmallestNormal = 0x1p-126f;
// Twice the smallest normal number: whatever .ftz may flush is below it, also before rounding.
inline constexpr float kCareful = 0x1p-125f;

inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float from_bits(std::uint32_t x) { return std::bit_cast<float>(x); }

inline float flush(float x) { return std::fabs(x) < kSmallestNormal ? std::copysign(0.0f, x) : x; }

inline float mul(float a, float b) {
  const float product = a * b;
  if (std::fabs(product) >= kCareful && std::fabs(a) >= kSmallestNormal && std::fabs(b) >= kSmallestNormal) return product;
  return from_bits(arith::plain::mul_rn_ftz_f32(bits(a), bits(b)));
}

// A sum below 2^-126 is exact, so that flushing it is all there is to .ftz.
inline float add(float a, float b) { return flush(flush(a) + flush(b)); }
inline float sub(float a, float b) { return add(a, -b); }

inline float fma(float a, float b, float c) {
  const float result = std::fma(a, b, c);
  if (std::fabs(result) >= kCareful && std::fabs(a) >= kSmallestNormal && std::fabs(b) >= kSmallestNormal) {
    // A denormal addend counts as zero; it can only matter to a result of its own size.
    return std::fabs(c) >= kSmallestNormal || c == 0 ? result : std::fma(a, b, 0.0f);
  }
  return from_bits(arith::plain::fma_rn_ftz_f32(bits(a), bits(b), bits(c)));
}

// max.ftz of ordered values: a NaN operand gives way to the other one.
inline float max(float a, float b) { return a > b || b != b ? a : b; }

inline float rcp_rn(float x) { return from_bits(arith::plain::rcp_rn_ftz_f32(bits(x))); }

}  // namespace xqacheck::emulation::f32
