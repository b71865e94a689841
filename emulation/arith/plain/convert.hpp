// Conversions on bit patterns; names are those of PTX with dots as underscores. In the x2 forms the first source is the
// high half. .rn = round to nearest even; f32 and 16-bit denormals are kept in every conversion.
#pragma once

#include <cstdint>

namespace xqacheck::arith::plain {

// f32 -> 16 bit. Overflow gives infinity (f16 from 65520 up); NaN gives 0x7fff.
uint16_t cvt_rn_f16_f32(uint32_t x);
uint16_t cvt_rn_bf16_f32(uint32_t x);
// Toward zero: overflow gives the largest finite number (by the PTX manual; not measured).
uint16_t cvt_rz_f16_f32(uint32_t x);
uint16_t cvt_rz_bf16_f32(uint32_t x);

// 16 bit -> f32, exact. f16: NaN gives 0x7fffffff; bf16: a shift, NaN payload kept.
uint32_t cvt_f32_f16(uint16_t x);
uint32_t cvt_f32_bf16(uint16_t x);

// -> e4m3. satfinite: infinities and everything from 464 up (the tie with the unrepresentable 480 included) give
// +-448; NaN gives 0x7f, its sign lost. Half of the smallest denormal ties to zero; the sign of zero is kept.
uint8_t cvt_rn_satfinite_e4m3_f32(uint32_t x);
uint8_t cvt_rn_satfinite_e4m3_f16(uint16_t x);
// __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3): as above up to 464; beyond, and for infinities, NaN with the sign of
// x; NaN gives 0x7f.
uint8_t cuda_float_to_e4m3_nosat(uint32_t x);

// e4m3 -> wider, exact. NaN gives 0x7fff (f16, bf16) or 0x7fffffff (f32), its sign lost.
uint16_t cvt_f16_e4m3(uint8_t x);
uint16_t cvt_bf16_e4m3(uint8_t x);
uint32_t cvt_f32_e4m3(uint8_t x);

// Integers: exact into f32 up to 2^24, otherwise rounded to nearest even (f16 overflows to infinity).
uint32_t cvt_rn_f32_s32(int32_t x);
uint16_t cvt_rn_f16_s32(int32_t x);
uint16_t cvt_rn_bf16_s32(int32_t x);
// To nearest even integer, clamped to [-128, 127]; NaN gives 0 (by the PTX manual; not measured).
int8_t cvt_rni_sat_s8_f32(uint32_t x);

}  // namespace xqacheck::arith::plain
