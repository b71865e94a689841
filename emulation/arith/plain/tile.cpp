#include "emulation/arith/plain/tile.hpp"

#include <vector>

namespace xqacheck::arith::plain {

void multiply_tile(const MatrixInstruction& instruction, const OperandView& a, const OperandView& b, uint32_t* c,
                   size_t ldc, const DotFault& fault) {
  const auto vector_of = [](const OperandView& view, size_t index) {
    std::vector<uint16_t> patterns(view.k);
    for (size_t i = 0; i < view.k; ++i) patterns[i] = view.pattern(index, i);
    return patterns;
  };
  std::vector<std::vector<uint16_t>> columns;
  for (size_t column = 0; column < b.vectors; ++column) columns.push_back(vector_of(b, column));
  for (size_t row = 0; row < a.vectors; ++row) {
    const std::vector<uint16_t> row_patterns = vector_of(a, row);
    for (size_t column = 0; column < b.vectors; ++column) {
      uint32_t& element = c[row * ldc + column];
      element = dot(instruction, row_patterns, columns[column], element, fault);
    }
  }
}

}  // namespace xqacheck::arith::plain
