// What the vector code of a tile works on, independent of the instruction set that runs it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulation/arith/format.hpp"
#include "emulation/arith/instruction.hpp"

namespace xqacheck::arith::fast {

// Columns are decoded in blocks of 32 lanes: the 16-bit lanes of one AVX-512 vector.
inline constexpr size_t kLanes = 32;

// Exponent codes next to real exponents (-133 ... 127) that keep their meaning when two are added in 16 bits.
inline constexpr int16_t kZeroExponent = -8192;     // a zero operand: its products lie below kNoTerm
inline constexpr int16_t kSpecialExponent = 16383;  // NaN, infinity, bf16 denormal: the sum lies above any exponent
inline constexpr int16_t kNoTerm = -4096;           // an alignment exponent below this: no term that is not zero

// An operand for one kind of instruction. k is padded with zeros to whole steps and reordered so that each fused group
// is contiguous; e4m3 operands that the hardware widens to f16 are held as f16.
struct OperandData {
  Format format = Format::f16;  // of `patterns`
  size_t vectors = 0;
  size_t k = 0;  // padded
  bool columns = false;
  // rows: [vector][k]; columns: [block of 32 vectors][k][32]. Exponents of rows are held twice in one int32.
  const uint16_t* patterns = nullptr;
  const float* values = nullptr;
  const int32_t* row_exponents = nullptr;
  const int16_t* column_exponents = nullptr;

  uint16_t pattern(size_t vector, size_t i) const {
    return columns ? patterns[(vector / kLanes * k + i) * kLanes + vector % kLanes] : patterns[vector * k + i];
  }
};

struct TileJob {
  OperandData rows;
  OperandData columns;
  DotRule rule;
  bool add_after_steps = false;  // Lowering::e4m3_via_f16: two groups from zero, then an IEEE add of C
  uint32_t* c = nullptr;
  size_t ldc = 0;
};

// The element (row, column) after the group that begins at k = `begin`, by the plain rule: for lanes that the vector
// code does not cover.
uint32_t plain_group(const TileJob& job, size_t row, size_t column, size_t begin, uint32_t c);

// The whole job by the plain rule.
void multiply_plainly(const TileJob& job);

// Vector code, dispatched at run time (fast/fused.cpp, fast/integer.cpp, fast/decode.cpp).
void multiply_fused(const TileJob& job);
void multiply_integer(const TileJob& job);
// values and exponents of n patterns; n is a multiple of 32. `doubled`: each exponent twice in an int32.
void decode_row_patterns(Format format, const uint16_t* patterns, size_t n, float* values, int32_t* doubled);
void decode_column_patterns(Format format, const uint16_t* patterns, size_t n, float* values, int16_t* exponents);

// Whether multiply_fused covers the rule: its integer sums must stay below 2^31.
bool covers(const DotRule& rule, Format format);

}  // namespace xqacheck::arith::fast
