// Register forms that hold two or four narrow values; in conversions the first source is the high half, as in PTX.
#pragma once

#include <cstdint>

#include "emulation/arith/scalar.hpp"

namespace xqacheck::arith {

constexpr uint16_t low_half(uint32_t pair) {
  return static_cast<uint16_t>(pair);
}
constexpr uint16_t high_half(uint32_t pair) {
  return static_cast<uint16_t>(pair >> 16);
}
constexpr uint32_t pack_halves(uint16_t high, uint16_t low) {
  return static_cast<uint32_t>(high) << 16 | low;
}
constexpr uint8_t low_byte(uint16_t pair) {
  return static_cast<uint8_t>(pair);
}
constexpr uint8_t high_byte(uint16_t pair) {
  return static_cast<uint8_t>(pair >> 8);
}
constexpr uint16_t pack_bytes(uint8_t high, uint8_t low) {
  return static_cast<uint16_t>(high << 8 | low);
}

inline uint32_t cvt_rn_f16x2_f32(uint32_t high, uint32_t low) {
  return pack_halves(cvt_rn_f16_f32(high), cvt_rn_f16_f32(low));
}
inline uint32_t cvt_rn_bf16x2_f32(uint32_t high, uint32_t low) {
  return pack_halves(cvt_rn_bf16_f32(high), cvt_rn_bf16_f32(low));
}
inline uint16_t cvt_rn_satfinite_e4m3x2_f32(uint32_t high, uint32_t low) {
  return pack_bytes(cvt_rn_satfinite_e4m3_f32(high), cvt_rn_satfinite_e4m3_f32(low));
}
inline uint16_t cvt_rn_satfinite_e4m3x2_f16x2(uint32_t pair) {
  return pack_bytes(cvt_rn_satfinite_e4m3_f16(high_half(pair)), cvt_rn_satfinite_e4m3_f16(low_half(pair)));
}
inline uint32_t cvt_rn_f16x2_e4m3x2(uint16_t pair) {
  return pack_halves(cvt_f16_e4m3(high_byte(pair)), cvt_f16_e4m3(low_byte(pair)));
}

#define XQACHECK_ARITH_HALF_PAIRS(operation, format)                     \
  inline uint32_t operation##_##format##x2(uint32_t a, uint32_t b) {     \
    return pack_halves(operation##_##format(high_half(a), high_half(b)), \
                       operation##_##format(low_half(a), low_half(b)));  \
  }
XQACHECK_ARITH_HALF_PAIRS(add_rn, f16)
XQACHECK_ARITH_HALF_PAIRS(sub_rn, f16)
XQACHECK_ARITH_HALF_PAIRS(mul_rn, f16)
XQACHECK_ARITH_HALF_PAIRS(max, f16)
XQACHECK_ARITH_HALF_PAIRS(min, f16)
XQACHECK_ARITH_HALF_PAIRS(add_rn, bf16)
XQACHECK_ARITH_HALF_PAIRS(sub_rn, bf16)
XQACHECK_ARITH_HALF_PAIRS(mul_rn, bf16)
XQACHECK_ARITH_HALF_PAIRS(max, bf16)
XQACHECK_ARITH_HALF_PAIRS(min, bf16)
#undef XQACHECK_ARITH_HALF_PAIRS

inline uint32_t fma_rn_f16x2(uint32_t a, uint32_t b, uint32_t c) {
  return pack_halves(fma_rn_f16(high_half(a), high_half(b), high_half(c)),
                     fma_rn_f16(low_half(a), low_half(b), low_half(c)));
}
inline uint32_t fma_rn_bf16x2(uint32_t a, uint32_t b, uint32_t c) {
  return pack_halves(fma_rn_bf16(high_half(a), high_half(b), high_half(c)),
                     fma_rn_bf16(low_half(a), low_half(b), low_half(c)));
}

}  // namespace xqacheck::arith
