// What CUDA C functions become, with and without --use_fast_math (nvcc/ptxas 13.0, read in PTX and SASS, checked on an
// H200). Only functions that end in single instructions; precise expf, logf, division are long sequences, not modelled.
#pragma once

#include <cstdint>

#include "emulation/arith/scalar.hpp"

namespace xqacheck::arith {

inline constexpr uint32_t kLog2e = 0x3fb8aa3b;  // log2(e) as f32, the constant of expf
inline constexpr uint32_t kLn2 = 0x3f317218;    // ln(2) as f32, the constant of logf

namespace fast_math {  // nvcc --use_fast_math

inline uint32_t exp2f(uint32_t x) {
  return ex2_approx_ftz_f32(x);
}
inline uint32_t expf(uint32_t x) {
  return ex2_approx_ftz_f32(mul_rn_ftz_f32(x, kLog2e));
}  // __expf too
inline uint32_t logf(uint32_t x) {
  return mul_rn_ftz_f32(lg2_approx_ftz_f32(x), kLn2);
}
inline uint32_t divide(uint32_t a, uint32_t b) {
  return div_approx_ftz_f32(a, b);
}  // a / b and __fdividef
inline uint32_t reciprocal(uint32_t x) {
  return rcp_approx_ftz_f32(x);
}  // 1 / x
inline uint32_t rsqrtf(uint32_t x) {
  return rsqrt_approx_ftz_f32(x);
}
inline uint32_t sqrtf(uint32_t x) {
  return sqrt_approx_ftz_f32(x);
}
inline uint32_t fmaf(uint32_t a, uint32_t b, uint32_t c) {
  return fma_rn_ftz_f32(a, b, c);
}
inline uint32_t fmaxf(uint32_t a, uint32_t b) {
  return max_ftz_f32(a, b);
}
inline uint32_t fminf(uint32_t a, uint32_t b) {
  return min_ftz_f32(a, b);
}

}  // namespace fast_math

namespace default_math {  // nvcc without it

inline uint32_t exp2f(uint32_t x) {
  return ex2_approx_f32(x);
}
inline uint32_t expf_intrinsic(uint32_t x) {
  return ex2_approx_f32(mul_rn_f32(x, kLog2e));
}  // __expf
inline uint32_t fdividef(uint32_t a, uint32_t b) {
  return div_approx_f32(a, b);
}  // __fdividef
inline uint32_t fmaf(uint32_t a, uint32_t b, uint32_t c) {
  return fma_rn_f32(a, b, c);
}
inline uint32_t fmaxf(uint32_t a, uint32_t b) {
  return max_f32(a, b);
}
inline uint32_t fminf(uint32_t a, uint32_t b) {
  return min_f32(a, b);
}

}  // namespace default_math

}  // namespace xqacheck::arith
