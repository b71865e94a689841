#include "emulation/arith/array.hpp"

#include "emulation/arith/scalar.hpp"

namespace xqacheck::arith {

void fma_ftz_array(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = fma_rn_ftz_f32(a[i], b[i], c[i]);
}
void fma_ftz_array(const uint32_t* a, uint32_t b, uint32_t c, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = fma_rn_ftz_f32(a[i], b, c);
}
void fma_ftz_array(const uint32_t* a, uint32_t b, const uint32_t* c, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = fma_rn_ftz_f32(a[i], b, c[i]);
}
void mul_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = mul_rn_ftz_f32(a[i], b[i]);
}
void mul_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = mul_rn_ftz_f32(a[i], b);
}
void add_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = add_rn_ftz_f32(a[i], b[i]);
}
void add_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = add_rn_ftz_f32(a[i], b);
}
void sub_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = sub_rn_ftz_f32(a[i], b[i]);
}
void sub_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = sub_rn_ftz_f32(a[i], b);
}
void max_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = max_ftz_f32(a[i], b[i]);
}
void max_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = max_ftz_f32(a[i], b);
}
void ex2_array(const uint32_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = ex2_approx_ftz_f32(x[i]);
}
void rcp_array(const uint32_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = rcp_approx_ftz_f32(x[i]);
}
void rsqrt_array(const uint32_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = rsqrt_approx_ftz_f32(x[i]);
}
void sqrt_array(const uint32_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = sqrt_approx_ftz_f32(x[i]);
}
void lg2_array(const uint32_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = lg2_approx_ftz_f32(x[i]);
}
void f32_to_f16_array(const uint32_t* x, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_f16_f32(x[i]);
}
void f32_to_bf16_array(const uint32_t* x, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_bf16_f32(x[i]);
}
void f32_to_e4m3_array(const uint32_t* x, uint8_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_satfinite_e4m3_f32(x[i]);
}
void f16_to_e4m3_array(const uint16_t* x, uint8_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_satfinite_e4m3_f16(x[i]);
}
void f16_to_f32_array(const uint16_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_f32_f16(x[i]);
}
void bf16_to_f32_array(const uint16_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_f32_bf16(x[i]);
}
void e4m3_to_f32_array(const uint8_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_f32_e4m3(x[i]);
}
void e4m3_to_f16_array(const uint8_t* x, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_f16_e4m3(x[i]);
}
void e4m3_to_bf16_array(const uint8_t* x, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_bf16_e4m3(x[i]);
}
void s8_to_f16_array(const int8_t* x, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_f16_s32(x[i]);
}
void s8_to_bf16_array(const int8_t* x, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_bf16_s32(x[i]);
}
void s8_to_f32_array(const int8_t* x, uint32_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = cvt_rn_f32_s32(x[i]);
}
void mul_f16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = mul_rn_f16(a[i], b[i]);
}
void mul_f16_array(const uint16_t* a, uint16_t b, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = mul_rn_f16(a[i], b);
}
void add_f16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = add_rn_f16(a[i], b[i]);
}
void mul_bf16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = mul_rn_bf16(a[i], b[i]);
}
void mul_bf16_array(const uint16_t* a, uint16_t b, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = mul_rn_bf16(a[i], b);
}
void add_bf16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = add_rn_bf16(a[i], b[i]);
}

uint32_t max_ftz_reduce(uint32_t start, const uint32_t* a, size_t n) {
  for (size_t i = 0; i < n; ++i) start = max_ftz_f32(start, a[i]);
  return start;
}

}  // namespace xqacheck::arith
