// One output element of a matrix instruction, as the hardware computes it. Reads like the rule; any speed.
#pragma once

#include <cstdint>
#include <span>

#include "emulation/arith/format.hpp"
#include "emulation/arith/instruction.hpp"

namespace xqacheck::arith::plain {

// Deliberate errors for negative controls: a check that accepts one of these could not have failed.
struct DotFault {
  int fraction_bits_delta = 0;              // F + delta
  bool zero_products_set_exponent = false;  // zero products take part in the choice of the top exponent
  bool no_floor = false;                    // alignment exponent without its floor
};

// One fused group: f32 bits of C + sum a[i]*b[i]. a and b: patterns of `format` (f16, bf16 or e4m3), one per
// element in the low bits; at most 64 products. c: f32 bits.
uint32_t fused_dot(const DotRule& rule, Format format, std::span<const uint16_t> a, std::span<const uint16_t> b,
                   uint32_t c, const DotFault& fault = {});

// The whole chain of one output element: a.size() == b.size() products, k ascending, in steps of instruction.k; the
// last step may be short (as if filled with zeros). c and the result: f32 bits (s32 for s8).
uint32_t dot(const MatrixInstruction& instruction, std::span<const uint16_t> a, std::span<const uint16_t> b, uint32_t c,
             const DotFault& fault = {});

}  // namespace xqacheck::arith::plain
