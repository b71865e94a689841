#include "reference/golden/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kFp32 = 0x1p-24;
// exp of more than this overflows fp32 (ln(2^128) = 88.7; a kernel may compute it from a rounded argument).
constexpr double kExpOverflow = 88;
// Scores beyond 2^120 may overflow in the products with log2(e).
constexpr double kScoreOverflow = 0x1p120;

}  // namespace

RowError row_error(const xqacheck_problem& p, const RoundingModel& m, const Row& row, const RowSums& sums, double sink,
                   double lse) {
  RowError e;
  const double sink_weight = std::exp(sink - row.max);
  e.z = sums.e + sink_weight;
  e.out_scale = value_of(p.v_scale) * value_of(p.rcp_out_scale);
  e.tokens = static_cast<double>(sums.tokens);
  e.tiles = e.tokens / m.tile_tokens + 2;  // a window may cut the first and the last
  e.promise = row.size < kScoreOverflow && m.p_fits;
  e.sink_overflow = sink - row.max > kExpOverflow;
  if (std::isinf(e.z)) return e;
  e.sink_share = sink_weight / e.z;
  e.skipped = sums.skipped / e.z;
  e.tiles2 = sums.tiles2 * std::max(1.0, m.tile_tokens / 64.0) / (e.z * e.z);
  e.v_gap = sums.v_gap / e.z * std::fabs(e.out_scale);
  const double sink_error =
      std::isinf(sink) ? 0 : m.exp_error + kFp32 * (4 * std::fabs(sink) + 4 * std::fabs(row.max) + 4);
  // Row sum: every token is added once, every tile rescales, merges add a few; B5.
  e.sum_bias = (e.tokens + 4 * e.tiles + 8) * m.sum_unit;
  e.weights = sums.wrong / e.z + e.sink_share * sink_error + e.sum_bias;
  e.spread = sums.spread / (e.z * e.z) + e.sink_share * e.sink_share * sink_error * sink_error;
  e.lse_worst =
      e.weights < 1 ? -std::log1p(-e.weights) + kFp32 * (4 * std::fabs(lse) + 4 * std::fabs(row.max)) + 0x1p-20 : kInf;
  if (e.sink_overflow || !e.promise) e.lse_worst = kInf;
  return e;
}

ElementError element_error(const RoundingModel& m, const RowError& row, const ElementSums& s) {
  if (!row.promise) return {kInf, kInf, kInf};
  const double scale = std::fabs(row.out_scale);
  if (std::isinf(row.z)) return {0, 0, 0};  // the sink takes everything; a kernel's exp overflows or it is exactly 0
  const double out = std::fabs(s.out) / row.z, abs = s.abs / row.z, wrong = s.wrong / row.z;

  // Terms of the second product as the accumulator sees them, rounded weights included.
  const double terms = abs + wrong;
  // Subnormal operands are aligned by the exponent of the smallest normal number (B4).
  const double floor = m.v_smallest * (1 + m.p_smallest) + m.p_smallest * s.largest;
  const double size = terms + floor / row.z;
  const double steps = std::ceil(row.tokens / m.steps) + row.tiles;
  const double rescale = 4 * row.tiles * kFp32;
  double accumulator = 0;
  if (m.truncates) {
    accumulator = 2 * steps * m.grid * size + std::min(terms, row.tokens * m.grid * size) + rescale * terms;
  } else {
    accumulator = (steps + row.tiles + 2) * m.grid * terms + rescale * terms;
  }

  const double numerator = wrong + out * row.weights + accumulator;
  double worst = numerator / (1 - row.weights);
  if (row.weights >= 0.5) {
    // Weights are not negative, so whatever they are the output is within the hull of V (B7).
    const double hull = s.largest * (1 + 4 * m.p_unit) + out + 2 * accumulator / std::min(1.0, row.z);
    worst = row.weights < 1 ? std::min(worst, hull) : hull;
  }
  const double partial =
      m.partial_roundings * (m.partial_unit * (abs + worst) * scale + m.partial_floor * std::max(1.0, scale));
  const double last = 8 * kFp32 * (abs + worst) * scale;
  const double flush = (row.tokens + 8 * row.tiles + 8) * 0x1p-126 * (1 + scale);
  ElementError e;
  e.worst = worst * scale + partial + last + flush + row.v_gap;
  if (row.sink_overflow) e.worst += abs * scale;
  if (m.partial_largest < 2 * s.largest * scale) e.worst = kInf;  // a partial may overflow its format

  // Statistical model.
  const double element_spread = std::sqrt(s.spread) / row.z;
  const double weights_sigma = element_spread + out * std::sqrt(row.spread);
  const double reach = s.reach / row.z + out;
  const double squares = std::sqrt(3 * s.spread / m.p_roundings) / (m.p_unit * row.z);  // at least sqrt(sum p^2 v^2)
  double variance = weights_sigma * weights_sigma;
  if (m.p_roundings > 1) variance += m.p_unit * m.p_unit / 3 * out * out * row.tiles2;
  variance += m.partial_roundings * m.partial_unit * m.partial_unit / 3 * (out * out + squares * squares);
  double bias = out * row.sum_bias + row.tiles * (m.exp_error + 4 * kFp32) * (reach + out);
  if (m.truncates) {
    const double unit = m.grid * (2 * reach + squares + floor / row.z);
    variance += row.tokens * unit * unit / 3;
    bias += steps * m.grid * reach + std::min(terms, unit / 2 * (std::fabs(s.signs) + 2));
    if (abs > 0) bias += out * std::min(1.0, row.tokens * unit / abs);
  } else {
    bias += (steps + row.tiles + 2) * m.grid * reach;
  }
  // Roundings of equal weights are equal: a coherent error, unless the row sum has it as well.
  if (m.sum_of_unrounded) bias += out * m.p_roundings * m.p_unit;
  if (row.skipped > 0) bias += numerator;
  if (row.sink_overflow) bias += abs;
  const double tiny = m.partial_roundings * m.partial_floor * std::max(1.0, scale);
  e.sigma = std::sqrt(variance) * scale;
  e.bias = bias * scale + 8 * kFp32 * (out + reach) * scale + flush + tiny + row.v_gap;
  return e;
}

}  // namespace xqacheck::reference
