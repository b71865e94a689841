#include "emulation/kernels/hardware_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "emulation/arith/array.hpp"
#include "emulation/arith/plain/mufu.hpp"
#include "emulation/kernels/geometry.hpp"

namespace xqacheck::emulation {

namespace {

std::uint32_t round_up(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b * b; }

// The array functions take bit patterns; a float array is one.
std::uint32_t* bits_of(float* x) { return reinterpret_cast<std::uint32_t*>(x); }
const std::uint32_t* bits_of(const float* x) { return reinterpret_cast<const std::uint32_t*>(x); }

}  // namespace

float score_scale_of(const Recipe& recipe, const Call& call) {
  const auto dim = static_cast<float>(call.dim);
  const float root = recipe.root == Root::rounded
                         ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(call.dim)))
                         : f32::from_bits(arith::plain::rsqrt_approx_ftz_f32(f32::bits(dim)));
  if (recipe.scale_order == ScaleOrder::q_kvroot) return f32::mul(call.q_scale, f32::mul(call.kv_scale, root));
  return f32::mul(f32::mul(call.q_scale, call.kv_scale), root);
}

float output_scale_of(const Recipe& recipe, const Call& call) {
  float scale = call.kv_scale;
  if (recipe.p_unscale != 1) scale = f32::mul(1.0f / recipe.p_unscale, call.kv_scale);
  return call.e4m3_out ? f32::mul(scale, call.rcp_out_scale) : scale;
}

template <class P>
HardwareArithmetic<P>::HardwareArithmetic(const Recipe& recipe, const Call& call)
    : recipe_(recipe), call_(call), unit_(recipe, e4m3_operands(recipe, call) ? arith::Format::e4m3 : call.half),
      operand_dim_(round_up(call.dim, unit_.step())), score_scale_(score_scale_of(recipe, call)),
      output_scale_(output_scale_of(recipe, call)) {}

template <class P>
float HardwareArithmetic<P>::reciprocal(Rounding, Reciprocal kind, float x) const {
  if (kind == Reciprocal::rounded) return f32::rcp_rn(x);
  return f32::from_bits(arith::plain::rcp_approx_ftz_f32(f32::bits(x)));
}

template <class P>
float HardwareArithmetic<P>::ex2(float x) const {
  return f32::from_bits(arith::plain::ex2_approx_ftz_f32(f32::bits(x)));
}

template <class P>
void HardwareArithmetic<P>::mul_row(Rounding, float* x, std::uint32_t count, float factor) const {
  arith::mul_ftz_array(bits_of(x), f32::bits(factor), bits_of(x), count);
}

template <class P>
void HardwareArithmetic<P>::fma_row(Rounding, float* x, std::uint32_t count, float factor, float addend) const {
  arith::fma_ftz_array(bits_of(x), f32::bits(factor), f32::bits(addend), bits_of(x), count);
}

template <class P>
void HardwareArithmetic<P>::sub_row(Rounding, float* x, std::uint32_t count, float b) const {
  arith::sub_ftz_array(bits_of(x), f32::bits(b), bits_of(x), count);
}

template <class P>
void HardwareArithmetic<P>::ex2_row(float* x, std::uint32_t count) const {
  if (recipe_.ex2 == Ex2Unit::approx) return arith::ex2_array(bits_of(x), bits_of(x), count);
  for (std::uint32_t i = 0; i < count; ++i) x[i] = f32::flush(static_cast<float>(std::exp2(static_cast<double>(x[i]))));
}

template <class P>
float HardwareArithmetic<P>::max_row(float start, const float* x, std::uint32_t count) const {
  return f32::from_bits(arith::max_ftz_reduce(f32::bits(start), bits_of(x), count));
}

template <class P>
void HardwareArithmetic<P>::load_q(std::int64_t offset, P* row) const {
  const auto* source = static_cast<const std::uint16_t*>(call_.problem.q.data) + offset;
  if constexpr (std::is_same_v<P, std::uint16_t>) {
    std::copy(source, source + call_.dim, row);
  } else {
    // No scale before e4m3: values beyond 448 saturate.
    for (std::uint32_t d = 0; d < call_.dim; ++d) row[d] = e4m3_bits(half_value(call_.half, source[d]));
  }
  std::fill(row + call_.dim, row + operand_dim_, P{0});
}

// 8-bit values widen exactly to a 16-bit operand format; e4m3 operands stay.
template <class P>
void HardwareArithmetic<P>::load_cache(const xqacheck_tensor& tensor, std::int64_t offset, P* row) const {
  const std::uint32_t dim = call_.dim;
  if (offset == Call::kNowhere) {
    std::fill(row, row + dim, P{0});
  } else if (e4m3_operands(recipe_, call_) || call_.cache == call_.half) {
    std::memcpy(row, static_cast<const P*>(tensor.data) + offset, dim * sizeof(P));
  } else {
    const auto* source = static_cast<const std::uint8_t*>(tensor.data) + offset;
    const std::uint16_t* table = widening_table(call_.cache, call_.half);
    for (std::uint32_t d = 0; d < dim; ++d) row[d] = static_cast<P>(table[source[d]]);
  }
}

template <class P>
void HardwareArithmetic<P>::load_k(std::int64_t offset, P* row) const {
  load_cache(call_.problem.k, offset, row);
  std::fill(row + call_.dim, row + operand_dim_, P{0});
}

template <class P>
void HardwareArithmetic<P>::load_v(std::int64_t offset, P* row) const { load_cache(call_.problem.v, offset, row); }

template <class P>
void HardwareArithmetic<P>::round_p(const float* p, std::uint32_t count, P* out) const {
  if constexpr (std::is_same_v<P, std::uint8_t>) arith::f32_to_e4m3_array(bits_of(p), out, count);
  else if (call_.half == arith::Format::bf16) arith::f32_to_bf16_array(bits_of(p), out, count);
  else arith::f32_to_f16_array(bits_of(p), out, count);
}

template <class P>
void HardwareArithmetic<P>::scale_p(Rounding, P* p, std::uint32_t count, float factor) const {
  if constexpr (std::is_same_v<P, std::uint16_t>) {
    const std::uint16_t bits = half_bits(call_.half, factor);
    if (call_.half == arith::Format::bf16) arith::mul_bf16_array(p, bits, p, count);
    else arith::mul_f16_array(p, bits, p, count);
  } else {
    (void)p, (void)count, (void)factor;  // the family that rescales P has no e4m3 operands
  }
}

template <class P>
float HardwareArithmetic<P>::value_of(P p) const {
  if constexpr (std::is_same_v<P, std::uint8_t>) return e4m3_value(p);
  else return half_value(call_.half, p);
}

template <class P>
void HardwareArithmetic<P>::first_product(const Queries& q, const P* k, float* scores) const {
  std::fill(scores, scores + q.vectors() * kTile, 0.0f);
  unit_.multiply(q, unit_.columns(kTile, operand_dim_, operand_dim_, k), scores, kTile);
}

template <class P>
void HardwareArithmetic<P>::second_product(std::uint32_t rows, std::uint32_t tokens, const P* p, const P* v, float* acc) const {
  unit_.multiply(unit_.rows(rows, tokens, kTile, p), unit_.columns_across(call_.dim, tokens, call_.dim, v), acc, call_.dim);
}

template <class P>
void HardwareArithmetic<P>::matrix_row_sums(std::uint32_t rows, const P* p, float* sums) const {
  std::fill(sums, sums + rows, 0.0f);
  unit_.multiply(unit_.rows(rows, kTile, kTile, p), unit_.ones(), sums, 1);
}

template <class P>
void HardwareArithmetic<P>::store_out(std::int64_t offset, float value, bool through_half) const {
  if (!call_.e4m3_out) {
    static_cast<std::uint16_t*>(call_.problem.out.data)[offset] = half_bits(call_.half, value);
  } else {
    const float narrow = through_half ? emulation::round_half(call_.half, value) : value;
    static_cast<std::uint8_t*>(call_.problem.out.data)[offset] = e4m3_bits(narrow);
  }
}

template class HardwareArithmetic<std::uint16_t>;
template class HardwareArithmetic<std::uint8_t>;

}  // namespace xqacheck::emulation
