// f16 and bf16 scalar instructions on bit patterns (no .ftz): IEEE round to nearest even, one rounding, denormals
// kept, every NaN result 0x7fff; max and min as for f32. The x2 forms work on both halves of a register.
#pragma once

#include <cstdint>

namespace xqacheck::arith::plain {

uint16_t fma_rn_f16(uint16_t a, uint16_t b, uint16_t c);
uint16_t mul_rn_f16(uint16_t a, uint16_t b);
uint16_t add_rn_f16(uint16_t a, uint16_t b);
uint16_t sub_rn_f16(uint16_t a, uint16_t b);
uint16_t max_f16(uint16_t a, uint16_t b);
uint16_t min_f16(uint16_t a, uint16_t b);

uint16_t fma_rn_bf16(uint16_t a, uint16_t b, uint16_t c);
uint16_t mul_rn_bf16(uint16_t a, uint16_t b);
uint16_t add_rn_bf16(uint16_t a, uint16_t b);
uint16_t sub_rn_bf16(uint16_t a, uint16_t b);
uint16_t max_bf16(uint16_t a, uint16_t b);
uint16_t min_bf16(uint16_t a, uint16_t b);

}  // namespace xqacheck::arith::plain
