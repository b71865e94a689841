// Scalar instructions over arrays, vectorised: out[i] = op(a[i], ...) with exactly the bits of scalar.hpp.
//
// out may be the same array as an input (elementwise in place); otherwise they must not overlap. A `uint32_t` argument
// in place of an array is used for every element. Independent of the host's denormal mode.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::arith {

// f32, .rn.ftz
void fma_ftz_array(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out, size_t n);
void fma_ftz_array(const uint32_t* a, uint32_t b, uint32_t c, uint32_t* out, size_t n);
void fma_ftz_array(const uint32_t* a, uint32_t b, const uint32_t* c, uint32_t* out, size_t n);
void mul_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n);
void mul_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n);
void add_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n);
void add_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n);
void sub_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n);
void sub_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n);
void max_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n);
void max_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n);
// Maximum of start and all elements (max_ftz; order plays no role).
uint32_t max_ftz_reduce(uint32_t start, const uint32_t* a, size_t n);

// MUFU, .approx.ftz
void ex2_array(const uint32_t* x, uint32_t* out, size_t n);
void rcp_array(const uint32_t* x, uint32_t* out, size_t n);
void rsqrt_array(const uint32_t* x, uint32_t* out, size_t n);
void sqrt_array(const uint32_t* x, uint32_t* out, size_t n);
void lg2_array(const uint32_t* x, uint32_t* out, size_t n);

// Conversions; `to_` names say the target, arguments the source.
void f32_to_f16_array(const uint32_t* x, uint16_t* out, size_t n);
void f32_to_bf16_array(const uint32_t* x, uint16_t* out, size_t n);
void f32_to_e4m3_array(const uint32_t* x, uint8_t* out, size_t n);  // satfinite
void f16_to_e4m3_array(const uint16_t* x, uint8_t* out, size_t n);  // satfinite
void f16_to_f32_array(const uint16_t* x, uint32_t* out, size_t n);
void bf16_to_f32_array(const uint16_t* x, uint32_t* out, size_t n);
void e4m3_to_f32_array(const uint8_t* x, uint32_t* out, size_t n);
void e4m3_to_f16_array(const uint8_t* x, uint16_t* out, size_t n);
void e4m3_to_bf16_array(const uint8_t* x, uint16_t* out, size_t n);
void s8_to_f16_array(const int8_t* x, uint16_t* out, size_t n);
void s8_to_bf16_array(const int8_t* x, uint16_t* out, size_t n);
void s8_to_f32_array(const int8_t* x, uint32_t* out, size_t n);

// 16-bit arithmetic, .rn
void mul_f16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n);
void mul_f16_array(const uint16_t* a, uint16_t b, uint16_t* out, size_t n);
void add_f16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n);
void mul_bf16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n);
void mul_bf16_array(const uint16_t* a, uint16_t b, uint16_t* out, size_t n);
void add_bf16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n);

}  // namespace xqacheck::arith
