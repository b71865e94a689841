// The matrix unit of a recipe: one instruction of emulation/arith's table, on the tile shapes that the kernels use.
#pragma once

#include <cstdint>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/tile.hpp"
#include "emulation/kernels/recipe.hpp"

namespace xqacheck::emulation {

// The instruction that a recipe uses for operands of a format: that of its architecture, with the recipe's own rule if it has
// one. Throws RecipeError when the architecture has none.
arith::MatrixInstruction instruction_of(const Recipe& recipe, arith::Format operands);

class MatrixUnit {
 public:
  MatrixUnit(const Recipe& recipe, arith::Format operands);

  std::uint32_t step() const { return static_cast<std::uint32_t>(instruction_.k); }  // products of one instruction

  // Operands are bit patterns of the format, k of them in every vector, `leading` elements between vectors …
  arith::DecodedOperand rows(std::uint32_t count, std::uint32_t k, std::uint32_t leading, const void* bits) const;
  arith::DecodedOperand columns(std::uint32_t count, std::uint32_t k, std::uint32_t leading, const void* bits) const;
  // … or between the k: element i of vector v is bits[i * leading + v].
  arith::DecodedOperand columns_across(std::uint32_t count, std::uint32_t k, std::uint32_t leading, const void* bits) const;
  const arith::DecodedOperand& ones() const { return ones_; }  // one column of kTile ones

  // c[r * leading + v] += rows[r] . columns[v], k ascending in whole steps.
  void multiply(const arith::DecodedOperand& rows, const arith::DecodedOperand& columns, float* c, std::uint32_t leading) const;

 private:
  arith::MatrixInstruction instruction_;
  arith::DecodedOperand ones_;
};

// Value of each byte of an 8-bit format as a pattern of a 16-bit format (all exact); 256 entries.
const std::uint16_t* widening_table(arith::Format narrow, arith::Format wide);

}  // namespace xqacheck::emulation
