// The arithmetic of the GPU, every rounding in place: the numbers of an emulator are floats with exactly the hardware's bits.
//
// hmma.cpp and gmma.cpp are written once over an arithmetic: this one, or MixedArithmetic, where chosen roundings are exact.
// Both have the same members; the Rounding argument of an operation says to which step of the recipe it belongs.
#pragma once

#include <cstdint>

#include "emulation/kernels/call.hpp"
#include "emulation/kernels/constants.hpp"
#include "emulation/kernels/f32_ops.hpp"
#include "emulation/kernels/matrix_unit.hpp"
#include "emulation/kernels/recipe.hpp"
#include "emulation/kernels/rounding16.hpp"

namespace xqacheck::emulation {

// Pattern: the bits of an operand of the matrix unit, std::uint16_t (fp16, bf16) or std::uint8_t (e4m3).
template <class Pattern>
class HardwareArithmetic {
 public:
  using Real = float;
  using Element = Pattern;

  HardwareArithmetic(const Recipe& recipe, const Call& call);

  // -- scalars: f32, to nearest even, .ftz --
  Real mul(Rounding, Real a, Real b) const { return f32::mul(a, b); }
  Real add(Rounding, Real a, Real b) const { return f32::add(a, b); }
  Real sub(Rounding, Real a, Real b) const { return f32::sub(a, b); }
  Real fma(Rounding, Real a, Real b, Real c) const { return f32::fma(a, b, c); }
  Real max(Real a, Real b) const { return f32::max(a, b); }
  Real reciprocal(Rounding, Reciprocal kind, Real x) const;
  Real log2e(Rounding) const { return kLog2E; }
  // exp(a - b): subtraction, product with log2e and ex2, rounded one by one.
  Real exp_difference(Rounding step, Real a, Real b) const { return ex2(mul(step, sub(step, a, b), kLog2E)); }

  // -- the same on arrays, in place --
  void mul_row(Rounding, Real* x, std::uint32_t count, Real factor) const;               // x * factor
  void fma_row(Rounding, Real* x, std::uint32_t count, Real factor, Real addend) const;  // x * factor + addend
  void sub_row(Rounding, Real* x, std::uint32_t count, Real b) const;                    // x - b
  void ex2_row(Real* x, std::uint32_t count) const;
  Real max_row(Real start, const Real* x, std::uint32_t count) const;

  // -- 16-bit values, kept as the floats that they equal --
  Real round_half(Rounding, Real x) const { return emulation::round_half(call_.half, x); }
  Real add_half(Rounding, Real a, Real b) const { return emulation::add_half(call_.half, a, b); }

  // -- operands --
  std::uint32_t operand_dim() const { return operand_dim_; }  // channels of q and k, filled up with zeros to whole steps
  void load_q(std::int64_t offset, Element* row) const;
  void load_k(std::int64_t offset, Element* row) const;  // Call::kNowhere: zeros
  void load_v(std::int64_t offset, Element* row) const;
  void round_p(const Real* p, std::uint32_t count, Element* out) const;   // P to the operand format
  void scale_p(Rounding, Element* p, std::uint32_t count, Real factor) const;  // times a 16-bit value, in 16-bit arithmetic
  Real value_of(Element p) const;

  // -- matrix unit --
  // Rows of q, decoded once for all tiles: [rows][operand_dim()].
  using Queries = arith::DecodedOperand;
  Queries make_queries(std::uint32_t rows, const Element* q) const { return unit_.rows(rows, operand_dim_, operand_dim_, q); }
  // scores[r * kTile + t] = q[r] . k[t], channels ascending, from zero; k is [kTile][operand_dim()].
  void first_product(const Queries& q, const Element* k, Real* scores) const;
  // acc[r * dim + d] += p[r * kTile + t] v[t * dim + d], tokens ascending.
  void second_product(std::uint32_t rows, std::uint32_t tokens, const Element* p, const Element* v, Real* acc) const;
  // sums[r]: the 64 P of row r in matrix steps against ones, from zero.
  void matrix_row_sums(std::uint32_t rows, const Element* p, Real* sums) const;

  // -- scales --
  Real score_scale() const { return score_scale_; }
  Real output_scale() const { return output_scale_; }

  // -- memory --
  void store_out(std::int64_t offset, Real value, bool through_half) const;

 private:
  Real ex2(Real x) const;
  void load_cache(const xqacheck_tensor& tensor, std::int64_t offset, Element* row) const;

  const Recipe& recipe_;
  const Call& call_;
  MatrixUnit unit_;
  std::uint32_t operand_dim_;
  Real score_scale_, output_scale_;
};

using HalfArithmetic = HardwareArithmetic<std::uint16_t>;
using E4m3Arithmetic = HardwareArithmetic<std::uint8_t>;

// QGMMA: both products take e4m3 operands. Everything else takes operands of the format of q.
inline bool e4m3_operands(const Recipe& recipe, const Call& call) {
  return recipe.family == Family::gmma && call.cache == arith::Format::e4m3;
}

// (q * kv) * r with r = 1/sqrt(dim), rounded twice; and kv [* rcp_out], for wgmma (1/448) * kv [* rcp_out].
float score_scale_of(const Recipe& recipe, const Call& call);
float output_scale_of(const Recipe& recipe, const Call& call);

}  // namespace xqacheck::emulation
