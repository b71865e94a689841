#include "emulation/kernels/mixed_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "emulation/arith/plain/mufu.hpp"
#include "emulation/kernels/constants.hpp"
#include "emulation/kernels/f32_ops.hpp"
#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"

namespace xqacheck::emulation {

namespace {

constexpr double kSmallestNormal = 0x1p-126;

double flush(double x) { return std::fabs(x) < kSmallestNormal ? std::copysign(0.0, x) : x; }

// `value` with the last bit set if `error`, the part that did not fit, is not zero: rounding it further is then right.
double made_odd(double value, double error) {
  if (error == 0 || !std::isfinite(value)) return value;
  auto bits = std::bit_cast<std::uint64_t>(value);
  if ((bits & 1) == 0) bits = ((error > 0) == (value > 0)) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

// MUFU.EX2 of the argument as f32.
double approximate_ex2(double x) {
  return f32::from_bits(arith::plain::ex2_approx_ftz_f32(f32::bits(static_cast<float>(x))));
}

// Exponent of a finite x != 0, as std::ilogb but for a tenth of the time.
int exponent_of(double x) {
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  return field != 0 ? field - 1023 : std::ilogb(x);
}

double power_of_two(int exponent) {
  if (exponent < -1022 || exponent > 1023) return std::ldexp(1.0, exponent);
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Truncation of the magnitude to a multiple of a power of two; `inverse` is its reciprocal. |x| is less than 2^62 units: a
// matrix unit keeps at most 41 bits below its largest term, and adds 65 of them.
double truncated(double x, double unit, double inverse) {
  return static_cast<double>(static_cast<std::int64_t>(x * inverse)) * unit;
}

}  // namespace

double round_f32_ftz(double x) {
  const auto narrow = static_cast<float>(x);
  if (std::fabs(narrow) >= 2 * kSmallestNormal || x == 0 || narrow != narrow) return narrow;
  // Tininess is decided after rounding to 24 bits with unlimited exponent: scale up, round, look.
  const double rounded = static_cast<double>(static_cast<float>(x * 0x1p100)) * 0x1p-100;
  return flush(rounded);
}

MixedArithmetic::MixedArithmetic(const Recipe& recipe, const Call& call, const ExactInputs& exact)
    : recipe_(recipe), call_(call), exact_(exact),
      e4m3_operands_(e4m3_operands(recipe, call)),
      instruction_(instruction_of(recipe, e4m3_operands_ ? arith::Format::e4m3 : call.half)),
      min_exponent_(arith::layout_of(instruction_.operands).min_exponent()), operand_dim_(call.dim) {
  const double unscale = 1.0 / static_cast<double>(recipe.p_unscale);
  score_scale_ = on(Rounding::score) ? static_cast<double>(score_scale_of(recipe, call))
                                     : static_cast<double>(call.q_scale) * call.kv_scale / std::sqrt(static_cast<double>(call.dim));
  output_scale_ = on(Rounding::output) ? static_cast<double>(output_scale_of(recipe, call))
                                       : unscale * call.kv_scale * (call.e4m3_out ? call.rcp_out_scale : 1.0f);
}

double MixedArithmetic::mul(Rounding step, double a, double b) const {
  return on(step) ? round_f32_ftz(flush(a) * flush(b)) : a * b;
}

double MixedArithmetic::add(Rounding step, double a, double b) const {
  return on(step) ? round_f32_ftz(flush(a) + flush(b)) : a + b;
}

double MixedArithmetic::fma(Rounding step, double a, double b, double c) const {
  if (!on(step)) return std::fma(a, b, c);
  const double product = flush(a) * flush(b), addend = flush(c), sum = product + addend;
  // Knuth's two-sum: what the addition lost. The product itself is exact for f32 operands.
  const double back = sum - product;
  return round_f32_ftz(made_odd(sum, (product - (sum - back)) + (addend - back)));
}

double MixedArithmetic::reciprocal(Rounding step, Reciprocal kind, double x) const {
  if (!on(step)) return 1.0 / x;
  if (kind == Reciprocal::rounded) return round_f32_ftz(1.0 / flush(static_cast<float>(x)));
  return f32::from_bits(arith::plain::rcp_approx_ftz_f32(f32::bits(static_cast<float>(x))));
}

double MixedArithmetic::log2e(Rounding step) const { return on(step) ? static_cast<double>(kLog2E) : 0x1.71547652b82fep+0; }

double MixedArithmetic::exp_difference(Rounding step, double a, double b) const {
  if (!on(step)) return std::exp(a - b);
  const double x = mul(step, sub(step, a, b), kLog2E);
  return on(Rounding::ex2) ? approximate_ex2(x) : std::exp2(x);
}

void MixedArithmetic::ex2_row(double* x, std::uint32_t count) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!on(Rounding::ex2)) x[i] = std::exp2(x[i]);
    else if (recipe_.ex2 == Ex2Unit::rounded) x[i] = f32::flush(static_cast<float>(std::exp2(x[i])));
    else x[i] = approximate_ex2(x[i]);
  }
}

double MixedArithmetic::round_half(Rounding step, double x) const {
  if (!on(step)) return x;
  const auto narrow = static_cast<float>(x);
  // To f32 with a sticky bit, then to 16 bit: one rounding in effect.
  auto bits = std::bit_cast<std::uint32_t>(narrow);
  if (static_cast<double>(narrow) != x && std::isfinite(narrow) && (bits & 1u) == 0) {
    bits += std::fabs(static_cast<double>(narrow)) < std::fabs(x) ? 1u : ~0u;
  }
  return emulation::round_half(call_.half, std::bit_cast<float>(bits));
}

void MixedArithmetic::load_q(std::int64_t offset, double* row) const {
  const auto* source = static_cast<const std::uint16_t*>(call_.problem.q.data) + offset;
  for (std::uint32_t d = 0; d < call_.dim; ++d) {
    const float value = half_value(call_.half, source[d]);
    row[d] = e4m3_operands_ && on(Rounding::q) ? e4m3_value(e4m3_bits(value)) : value;
  }
}

void MixedArithmetic::load_cache(const xqacheck_tensor& tensor, const float* exact, std::int64_t offset, double* row) const {
  for (std::uint32_t d = 0; d < call_.dim; ++d) {
    if (offset == Call::kNowhere) {
      row[d] = 0;
    } else if (exact != nullptr) {
      row[d] = exact[offset + d];
    } else if (call_.cache == call_.half) {
      row[d] = half_value(call_.half, static_cast<const std::uint16_t*>(tensor.data)[offset + d]);
    } else {
      const auto byte = static_cast<const std::uint8_t*>(tensor.data)[offset + d];
      row[d] = call_.cache == arith::Format::e4m3 ? e4m3_value(byte) : static_cast<float>(static_cast<std::int8_t>(byte));
    }
  }
}

void MixedArithmetic::load_k(std::int64_t offset, double* row) const {
  load_cache(call_.problem.k, on(Rounding::k) ? nullptr : exact_.k, offset, row);
}

void MixedArithmetic::load_v(std::int64_t offset, double* row) const {
  load_cache(call_.problem.v, on(Rounding::v) ? nullptr : exact_.v, offset, row);
}

void MixedArithmetic::round_p(const double* p, std::uint32_t count, double* out) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!on(Rounding::p)) out[i] = p[i];
    else if (e4m3_operands_ && recipe_.p_operand == POperand::unit) out[i] = e4m3_value(e4m3_bits(static_cast<float>(p[i])));
    else out[i] = emulation::round_half(call_.half, static_cast<float>(p[i]));
  }
}

void MixedArithmetic::scale_p(Rounding step, double* p, std::uint32_t count, double factor) const {
  const double half = round_half(step, factor);
  for (std::uint32_t i = 0; i < count; ++i) p[i] = round_half(step, p[i] * half);
}

MixedArithmetic::Queries MixedArithmetic::make_queries(std::uint32_t rows, const double* q) const {
  return {rows, std::vector<double>(q, q + std::size_t{rows} * operand_dim_)};
}

// One output element of a chain of matrix instructions on doubles. Exact where the step is off.
double MixedArithmetic::chain(Rounding step, const double* a, std::uint32_t a_stride, const double* b, std::uint32_t b_stride,
                              std::uint32_t count, double c) const {
  if (!on(step)) {
    for (std::uint32_t i = 0; i < count; ++i) c += a[i * a_stride] * b[i * b_stride];
    return c;
  }
  const arith::DotRule& rule = instruction_.rule;
  const auto exponent = [&](double x) { return std::max(exponent_of(x), min_exponent_); };
  for (std::uint32_t begin = 0; begin < count; begin += static_cast<std::uint32_t>(rule.group)) {
    const std::uint32_t end = std::min(count, begin + static_cast<std::uint32_t>(rule.group));
    int top = rule.floor;
    bool any = c != 0, finite = std::isfinite(c);
    if (c != 0 && finite) top = std::max(top, std::max(exponent_of(c), -126));
    double plain = c;
    for (std::uint32_t i = begin; i < end; ++i) {
      const double x = a[i * a_stride], y = b[i * b_stride];
      plain += x * y;
      if (!std::isfinite(x) || !std::isfinite(y)) finite = false;
      if (x == 0 || y == 0 || !finite) continue;
      top = std::max(top, exponent(x) + exponent(y)), any = true;
    }
    if (!finite) { c = plain; continue; }
    if (!any) { c = 0; continue; }
    const double unit = power_of_two(top - rule.fraction_bits), inverse = power_of_two(rule.fraction_bits - top);
    double sum = truncated(c, unit, inverse);
    for (std::uint32_t i = begin; i < end; ++i) sum += truncated(a[i * a_stride] * b[i * b_stride], unit, inverse);
    if (sum != 0) {
      const int last = std::max(exponent_of(sum), -126) - rule.result_mantissa;
      sum = truncated(sum, power_of_two(last), power_of_two(-last));
    }
    c = sum;
    if (c == 0) c = 0;  // never -0
    if (std::fabs(c) >= 0x1p128) c = std::copysign(HUGE_VAL, c);
  }
  return c;
}

void MixedArithmetic::first_product(const Queries& q, const double* k, double* scores) const {
  for (std::uint32_t r = 0; r < q.rows; ++r) {
    for (std::uint32_t t = 0; t < kTile; ++t) {
      scores[r * kTile + t] = chain(Rounding::qk, q.values.data() + std::size_t{r} * operand_dim_, 1,
                                    k + std::size_t{t} * operand_dim_, 1, operand_dim_, 0);
    }
  }
}

void MixedArithmetic::second_product(std::uint32_t rows, std::uint32_t tokens, const double* p, const double* v,
                                     double* acc) const {
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t d = 0; d < call_.dim; ++d) {
      double& sum = acc[std::size_t{r} * call_.dim + d];
      sum = chain(Rounding::pv, p + std::size_t{r} * kTile, 1, v + d, call_.dim, tokens, sum);
    }
  }
}

void MixedArithmetic::matrix_row_sums(std::uint32_t rows, const double* p, double* sums) const {
  static constexpr double kOne = 1;
  for (std::uint32_t r = 0; r < rows; ++r) sums[r] = chain(Rounding::row_sum, p + std::size_t{r} * kTile, 1, &kOne, 0, kTile, 0);
}

double MixedArithmetic::out_value(double value, bool through_half) const {
  if (!on(Rounding::output)) return value;
  if (!call_.e4m3_out) return round_half(Rounding::output, value);
  if (through_half) value = round_half(Rounding::output, value);
  return e4m3_value(e4m3_bits(static_cast<float>(value)));
}

}  // namespace xqacheck::emulation
