// (rows x k) * (k x columns) + C as the tensor core computes it, bit for bit, fast, operands decoded once.
//
//   const auto& instruction = arith::sm_90::wgmma_bf16();
//   const auto a = arith::decode_rows(instruction, {Format::bf16, q, rows, k, ldq});            // k-contiguous
//   const auto b = arith::decode_columns(instruction, {Format::bf16, v, columns, k, ldv, false}); // row-major k x
//   columns arith::multiply(instruction, a, b, accumulator, lda);   // f32 bits in, f32 bits out
//
// k-steps run in ascending order, each step's f32 result is the next step's C; k need not be a multiple of the
// instruction's k (the rest counts as zeros). scale-d = 0 is C = +0. The result depends on nothing but the operands:
// not on the vector unit, the thread count, the shape of the tile, or which operand is called A: the rule is symmetric,
// so give the larger of the two as columns, which are the vector lanes (multiples of 16 or 32 are best) and read the
// product transposed. Thread-safe; decoded operands are immutable and may be shared between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/operand.hpp"

namespace xqacheck::arith {

// Rows of A (decode_rows) or columns of B (decode_columns), decoded for instructions of one format, group and lowering.
class DecodedOperand {
 public:
  size_t vectors() const { return vectors_; }
  size_t k() const { return k_; }

 private:
  friend struct OperandDecoder;
  MatrixInstruction instruction_{};
  bool columns_ = false;
  size_t vectors_ = 0;
  size_t k_ = 0;         // as given
  size_t k_padded_ = 0;  // whole steps
  // Layouts: fast/tile_job.hpp.
  std::vector<uint16_t> patterns_;
  std::vector<float> values_;
  std::vector<int32_t> row_exponents_;
  std::vector<int16_t> column_exponents_;
};

// Throws std::invalid_argument when the view's format is not the instruction's.
DecodedOperand decode_rows(const MatrixInstruction& instruction, const OperandView& a);
DecodedOperand decode_columns(const MatrixInstruction& instruction, const OperandView& b);

// c[row * ldc + column]: accumulator in, result out (f32 bits; s32 for s8). Throws std::invalid_argument when the
// operands differ in k, were decoded for another kind of instruction, or are in the wrong roles.
void multiply(const MatrixInstruction& instruction, const DecodedOperand& rows, const DecodedOperand& columns,
              uint32_t* c, size_t ldc);

// Decodes both and multiplies.
void multiply_tile(const MatrixInstruction& instruction, const OperandView& a, const OperandView& b, uint32_t* c,
                   size_t ldc);

}  // namespace xqacheck::arith
