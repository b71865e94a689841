#include "emulation/arith/tile.hpp"

#include <stdexcept>

#include "emulation/arith/plain/dot.hpp"

namespace xqacheck::arith {

DecodedOperand decode_rows(const MatrixInstruction& instruction, const OperandView& a) {
  if (a.format != instruction.operands) throw std::invalid_argument("operand format differs from the instruction's");
  DecodedOperand operand;
  operand.vectors_ = a.vectors;
  operand.k_ = a.k;
  operand.format_ = a.format;
  operand.patterns_.resize(a.vectors * a.k);
  for (size_t v = 0; v < a.vectors; ++v) {
    for (size_t i = 0; i < a.k; ++i) operand.patterns_[v * a.k + i] = a.pattern(v, i);
  }
  return operand;
}

DecodedOperand decode_columns(const MatrixInstruction& instruction, const OperandView& b) {
  return decode_rows(instruction, b);
}

void multiply(const MatrixInstruction& instruction, const DecodedOperand& rows, const DecodedOperand& columns,
              uint32_t* c, size_t ldc) {
  if (rows.k_ != columns.k_) throw std::invalid_argument("operands differ in k");
  const size_t k = rows.k_;
  for (size_t r = 0; r < rows.vectors_; ++r) {
    for (size_t j = 0; j < columns.vectors_; ++j) {
      uint32_t& element = c[r * ldc + j];
      element = plain::dot(instruction, {&rows.patterns_[r * k], k}, {&columns.patterns_[j * k], k}, element);
    }
  }
}

void multiply_tile(const MatrixInstruction& instruction, const OperandView& a, const OperandView& b, uint32_t* c,
                   size_t ldc) {
  multiply(instruction, decode_rows(instruction, a), decode_columns(instruction, b), c, ldc);
}

}  // namespace xqacheck::arith
