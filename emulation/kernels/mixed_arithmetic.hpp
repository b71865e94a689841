// The same arithmetic in fp64 with the roundings of a recipe switched on and off one by one. With all of them on the results
// are those of HardwareArithmetic bit for bit (a test says so); with all of them off they are exact but for fp64.
//
// An operation rounds once, from an (all but) exact fp64 result to f32 with .ftz, if its step is on. The matrix unit is the
// rule of emulation/arith restated on doubles: it also takes operands that no narrow format can hold.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/kernels/call.hpp"
#include "emulation/kernels/matrix_unit.hpp"
#include "emulation/kernels/recipe.hpp"

namespace xqacheck::emulation {

// K and V before they were quantised, in units of the stored values (value / scale): one float for every element of the
// pools, at the element's own offset. Read where rounding k or v is off; without them the stored values are taken.
struct ExactInputs {
  const float* k = nullptr;
  const float* v = nullptr;
};

class MixedArithmetic {
 public:
  using Real = double;
  using Element = double;

  MixedArithmetic(const Recipe& recipe, const Call& call, const ExactInputs& exact = {});

  Real mul(Rounding step, Real a, Real b) const;
  Real add(Rounding step, Real a, Real b) const;
  Real sub(Rounding step, Real a, Real b) const { return add(step, a, -b); }
  Real fma(Rounding step, Real a, Real b, Real c) const;
  Real max(Real a, Real b) const { return a > b || b != b ? a : b; }
  Real reciprocal(Rounding step, Reciprocal kind, Real x) const;
  Real log2e(Rounding step) const;
  Real exp_difference(Rounding step, Real a, Real b) const;

  void mul_row(Rounding step, Real* x, std::uint32_t count, Real factor) const {
    for (std::uint32_t i = 0; i < count; ++i) x[i] = mul(step, x[i], factor);
  }
  void fma_row(Rounding step, Real* x, std::uint32_t count, Real factor, Real addend) const {
    for (std::uint32_t i = 0; i < count; ++i) x[i] = fma(step, x[i], factor, addend);
  }
  void sub_row(Rounding step, Real* x, std::uint32_t count, Real b) const {
    for (std::uint32_t i = 0; i < count; ++i) x[i] = sub(step, x[i], b);
  }
  void ex2_row(Real* x, std::uint32_t count) const;
  Real max_row(Real start, const Real* x, std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) start = max(start, x[i]);
    return start;
  }

  Real round_half(Rounding step, Real x) const;
  Real add_half(Rounding step, Real a, Real b) const { return round_half(step, a + b); }

  std::uint32_t operand_dim() const { return operand_dim_; }
  void load_q(std::int64_t offset, Element* row) const;
  void load_k(std::int64_t offset, Element* row) const;
  void load_v(std::int64_t offset, Element* row) const;
  void round_p(const Real* p, std::uint32_t count, Element* out) const;
  void scale_p(Rounding step, Element* p, std::uint32_t count, Real factor) const;
  Real value_of(Element p) const { return p; }

  struct Queries { std::uint32_t rows = 0; std::vector<double> values; };
  Queries make_queries(std::uint32_t rows, const Element* q) const;
  void first_product(const Queries& q, const Element* k, Real* scores) const;
  void second_product(std::uint32_t rows, std::uint32_t tokens, const Element* p, const Element* v, Real* acc) const;
  void matrix_row_sums(std::uint32_t rows, const Element* p, Real* sums) const;

  Real score_scale() const { return score_scale_; }
  Real output_scale() const { return output_scale_; }

  // The output as a value: rounded to its format if the step is on.
  Real out_value(Real value, bool through_half) const;

 private:
  bool on(Rounding step) const { return recipe_.roundings.on(step); }
  double chain(Rounding step, const double* a, std::uint32_t a_stride, const double* b, std::uint32_t b_stride,
               std::uint32_t count, double c) const;
  void load_cache(const xqacheck_tensor& tensor, const float* exact, std::int64_t offset, Element* row) const;

  const Recipe& recipe_;
  const Call& call_;
  ExactInputs exact_;
  bool e4m3_operands_;
  arith::MatrixInstruction instruction_;
  int min_exponent_;  // of a normal operand: smaller ones keep this exponent
  std::uint32_t operand_dim_;
  Real score_scale_, output_scale_;
};

// Rounding of a double to f32, to nearest even, with .ftz: inputs are taken as they are.
double round_f32_ftz(double x);

}  // namespace xqacheck::emulation
