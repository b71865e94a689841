#include "tests/emulation/arith/drawn_tile.hpp"

#include <cstring>

#include "emulation/arith/probe/draw.h"

namespace xqacheck::arith {

namespace {

uint32_t drawn(Format format, const draw::Stream& stream, uint32_t matrix, size_t vector, size_t k) {
  const draw::Code code = format == Format::f16    ? draw::kF16
                          : format == Format::bf16 ? draw::kBf16
                          : format == Format::e4m3 ? draw::kE4m3
                                                   : draw::kS8;
  return draw::element(code, stream, matrix, static_cast<uint32_t>(vector), static_cast<uint32_t>(k));
}

}  // namespace

DrawnTile::DrawnTile(const MatrixInstruction& row, uint32_t kind, uint32_t tile, size_t row_count, size_t column_count,
                     size_t products, uint64_t seed)
    : instruction(row), rows(row_count), columns(column_count), k(products) {
  const auto width = static_cast<size_t>(bytes_of(row.operands));
  const draw::Stream stream{seed, kind, tile};
  a.resize(rows * k * width);
  b_columns.resize(columns * k * width);
  b_k_major.resize(columns * k * width);
  for (size_t i = 0; i < k; ++i) {
    for (size_t r = 0; r < rows; ++r) {
      const uint32_t bits = drawn(row.operands, stream, draw::kA, r, i);
      std::memcpy(&a[(r * k + i) * width], &bits, width);
    }
    for (size_t j = 0; j < columns; ++j) {
      const uint32_t bits = drawn(row.operands, stream, draw::kB, j, i);
      std::memcpy(&b_columns[(j * k + i) * width], &bits, width);
      std::memcpy(&b_k_major[(i * columns + j) * width], &bits, width);
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < columns; ++j) {
      c.push_back(draw::accumulator(stream, static_cast<uint32_t>(r), static_cast<uint32_t>(j)));
    }
  }
}

}  // namespace xqacheck::arith
