// f32 scalar instructions on bit patterns, from exact integers. Plain forms: read like the rules, any speed.
//
// IEEE forms (.rn): round to nearest even, denormals kept. .ftz forms: denormal inputs count as zero of the same sign,
// tiny results (after rounding) become zero of their sign. Every NaN result is 0x7fffffff.
#pragma once

#include <cstdint>

namespace xqacheck::arith::plain {

uint32_t fma_rn_f32(uint32_t a, uint32_t b, uint32_t c);
uint32_t mul_rn_f32(uint32_t a, uint32_t b);
uint32_t add_rn_f32(uint32_t a, uint32_t b);
uint32_t sub_rn_f32(uint32_t a, uint32_t b);
uint32_t div_rn_f32(uint32_t a, uint32_t b);
uint32_t rcp_rn_f32(uint32_t a);
uint32_t sqrt_rn_f32(uint32_t a);
// One NaN gives the other operand, two give 0x7fffffff; max(+0, -0) = +0, min(+0, -0) = -0.
uint32_t max_f32(uint32_t a, uint32_t b);
uint32_t min_f32(uint32_t a, uint32_t b);

uint32_t fma_rn_ftz_f32(uint32_t a, uint32_t b, uint32_t c);
uint32_t mul_rn_ftz_f32(uint32_t a, uint32_t b);
uint32_t add_rn_ftz_f32(uint32_t a, uint32_t b);
uint32_t sub_rn_ftz_f32(uint32_t a, uint32_t b);
uint32_t div_rn_ftz_f32(uint32_t a, uint32_t b);
uint32_t rcp_rn_ftz_f32(uint32_t a);
uint32_t sqrt_rn_ftz_f32(uint32_t a);
uint32_t max_ftz_f32(uint32_t a, uint32_t b);
uint32_t min_ftz_f32(uint32_t a, uint32_t b);

}  // namespace xqacheck::arith::plain
