// Matrix tiles with the plain rule: the yardstick for emulation/arith/tile.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/operand.hpp"
#include "emulation/arith/plain/dot.hpp"

namespace xqacheck::arith::plain {

// c[row * ldc + column] = chain over k of A's row and B's column, starting from c itself (f32 bits; s32 for s8).
// Preconditions: a.k == b.k, both formats those of the instruction.
void multiply_tile(const MatrixInstruction& instruction, const OperandView& a, const OperandView& b, uint32_t* c,
                   size_t ldc, const DotFault& fault = {});

}  // namespace xqacheck::arith::plain
