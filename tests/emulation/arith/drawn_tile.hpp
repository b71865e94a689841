// A tile of drawn operands, for tests: A rows x k, B as columns and as k x columns, C.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/operand.hpp"

namespace xqacheck::arith {

struct DrawnTile {
  const MatrixInstruction& instruction;
  size_t rows, columns, k;
  std::vector<uint8_t> a, b_columns, b_k_major;  // raw bytes of the instruction's format
  std::vector<uint32_t> c;                       // rows x columns

  DrawnTile(const MatrixInstruction& instruction, uint32_t kind, uint32_t tile, size_t rows, size_t columns, size_t k,
            uint64_t seed = 20260101);
  OperandView view_a() const { return {instruction.operands, a.data(), rows, k, k}; }
  OperandView view_b() const { return {instruction.operands, b_columns.data(), columns, k, k}; }
  OperandView view_b_k_major() const { return {instruction.operands, b_k_major.data(), columns, k, columns, false}; }
};

}  // namespace xqacheck::arith
