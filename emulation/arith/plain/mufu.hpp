// The special-function unit (MUFU) of sm_90, exact: quadratic interpolation from a table with a truncated squarer.
//
// All .approx.ftz functions: P = (k0 << A) + C + k1*X + k2*U(X) in exact integers, X the low fraction bits, the
// coefficients per segment from mufu_tables.hpp, U the squarer below; the only rounding is the final floor. NaN
// gives 0x7fffffff; denormal inputs count as zero of the same sign. Rules and tables were measured on an NVIDIA H200
// over all 2^32 inputs; doc/arithmetic.md has the account.
#pragma once

#include <cstdint>

namespace xqacheck::arith::plain {

// floor(X^2 / 2^19) with every bit product of weight below 2^19 left out first. X < 2^17; the result has 15 bits.
uint32_t truncated_square(uint32_t x);          // from a table
uint32_t truncated_square_by_bits(uint32_t x);  // the definition

uint32_t ex2_approx_ftz_f32(uint32_t x);
uint32_t rcp_approx_ftz_f32(uint32_t x);
uint32_t rsqrt_approx_ftz_f32(uint32_t x);
uint32_t sqrt_approx_ftz_f32(uint32_t x);
uint32_t lg2_approx_ftz_f32(uint32_t x);

// The forms without .ftz are sequences of ptxas 13.0 around the same unit: scaled into the normal range and back.
uint32_t ex2_approx_f32(uint32_t x);
uint32_t rcp_approx_f32(uint32_t x);
uint32_t rsqrt_approx_f32(uint32_t x);
uint32_t sqrt_approx_f32(uint32_t x);
uint32_t lg2_approx_f32(uint32_t x);

uint32_t div_approx_ftz_f32(uint32_t a, uint32_t b);
uint32_t div_approx_f32(uint32_t a, uint32_t b);

}  // namespace xqacheck::arith::plain
