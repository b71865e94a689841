// The arithmetic rule that f32, f16 and bf16 share, parametrised by format: special values, one exact operation, one
// rounding. f32.cpp and half.cpp name the instructions.
#pragma once

#include <cstdint>

#include "emulation/arith/format.hpp"
#include "emulation/arith/plain/soft_float.hpp"

namespace xqacheck::arith::plain {

enum class Denormals : uint8_t { keep, flush };  // flush: the .ftz forms, f32 only

// Denormal patterns become zero of the same sign; others are unchanged.
constexpr uint32_t flush_denormal(const FloatFormat& format, uint32_t bits) {
  const uint32_t magnitude = bits & format.magnitude_mask();
  return magnitude >> format.mantissa_bits == 0 ? bits & format.sign_bit() : bits;
}

uint32_t scalar_fma(const FloatFormat& format, Denormals denormals, uint32_t a, uint32_t b, uint32_t c);
uint32_t scalar_mul(const FloatFormat& format, Denormals denormals, uint32_t a, uint32_t b);
uint32_t scalar_add(const FloatFormat& format, Denormals denormals, uint32_t a, uint32_t b);
uint32_t scalar_max(const FloatFormat& format, Denormals denormals, uint32_t a, uint32_t b);
uint32_t scalar_min(const FloatFormat& format, Denormals denormals, uint32_t a, uint32_t b);

}  // namespace xqacheck::arith::plain
