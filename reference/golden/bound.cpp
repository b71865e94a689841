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
// The accumulator is multiplied by scale / (p_scale * denominator), a number of its own: below 2^-126 .ftz flushes it,
// and the output is 0. Twice that, because its factors are rounded.
constexpr double kSmallFactor = 0x1p-125;
// Scores beyond may overflow in the products with log2(e); sums of products beyond may leave fp32 in some order of
// adding.
constexpr double kScoreOverflow = 0x1p120, kDotOverflow = 0x1p126;
// Equal roundings count as one variable each while that leaves the limit below the plain bound u |out|; beyond (fewer
// than 25 cells), the plain bound is the bias.
constexpr double kFewCells = 1.0 / 25;
constexpr double kUsualLimit = 6;  // standard deviations that a judge allows, about
// Weights spread over more than an octave (32 cells) have significands in [1, 2) spread log-uniformly, for which the
// mean of 1 / significand^2 is 3 / (8 ln 2) = 0.541: half spacings are u times the power of two below, not u times the
// weight. 0.65 leaves room for an uneven spread.
constexpr double kOctave = 1.0 / 40, kLogUniform = 0.65;

}  // namespace

RowError row_error(const xqacheck_problem& p, const RoundingModel& m, const Unit& unit, const Row& row,
                   const RowSums& sums, const Coherence& coherence, double sink, double lse) {
  RowError e;
  const double max = row.weights.max;
  const double sink_weight = std::exp(sink - max);
  e.z = sums.e + sink_weight;
  e.out_scale = value_of(p.v_scale) * value_of(p.rcp_out_scale);
  e.base = row.weights.base;
  e.tokens = static_cast<double>(row.tokens);
  e.tiles = e.tokens / m.tile_tokens + 2;  // a window may cut the first and the last
  e.promise = row.weights.size < kScoreOverflow && row.q_norm * unit.largest_k() < kDotOverflow && m.p_fits;
  e.sink_overflow = sink - max > kExpOverflow;
  e.flushed = std::fabs(e.out_scale) < kSmallFactor * std::max(1.0, m.p_scale) * e.z || e.z > 1 / kSmallFactor;
  if (std::isinf(e.z)) {
    e.lse_worst = kInf;
    return e;
  }
  const double z2 = e.z * e.z;
  e.skipped = sums.skipped / e.z;
  e.tiles2 = sums.tiles2 * std::max(1.0, m.tile_tokens / 64.0) / z2;
  e.cells2 = coherence.cells2() / z2;
  e.copies = std::max(unit.copies(), 1u);
  e.score_part = row.weights.score_variance / (row.weights.score_variance + row.weights.p_variance);
  if (e.cells2 < kOctave) e.shrink = kLogUniform + (1 - kLogUniform) * e.score_part;
  e.v_gap = sums.v_gap / e.z * std::fabs(e.out_scale);
  e.slope = sums.slope / e.z;
  const double steps = std::ceil(static_cast<double>(p.head_dim) / m.steps);
  e.score_shrink = m.truncates ? m.grid * (steps + 16) : 0;
  const double sink_share = sink_weight / e.z;
  const double sink_error = std::isinf(sink) ? 0 : m.exp_error + kFp32 * (4 * std::fabs(sink) + 4 * std::fabs(max) + 4);
  // Every token is added once, every tile rescales, merges add a few.
  e.sum_bias = (e.tokens + 4 * e.tiles + 8) * m.sum_unit;
  e.weights = (e.base * sums.e + sums.rest) / e.z + sink_share * sink_error + e.sum_bias;
  e.spread = sums.spread / z2 + sink_share * sink_share * sink_error * sink_error;
  // lg2 and its scaling: 2^-20 absolute is generous.
  e.lse_worst = e.weights < 1 && !e.sink_overflow && e.promise
                    ? -std::log1p(-e.weights) + kFp32 * (4 * std::fabs(lse) + 4 * std::fabs(max)) + 0x1p-20
                    : kInf;
  return e;
}

double slope_of(const RowError& row, const ElementSums& s) {
  return std::isinf(row.z) ? 0 : s.slope / row.z - row.slope * s.out / row.z;
}

namespace {

// The terms of the second product as the accumulator sees them.
struct Terms {
  double out, abs, wrong;  // |sum p v|, sum p |v|, sum (error of p) |v|
  double size;             // bound on any term and any partial sum, with the alignment of subnormal operands
  double floor;            // of that, by the alignment of subnormal operands
  double steps, rescale;
};

Terms terms_of(const RoundingModel& m, const RowError& row, const ElementSums& s) {
  Terms t{};
  t.out = std::fabs(s.out) / row.z;
  t.abs = s.abs / row.z;
  t.wrong = row.base * t.abs + s.rest / row.z;
  // A subnormal operand is aligned by the exponent of the smallest normal number.
  t.floor = (m.v_smallest * (1 + m.p_smallest) + m.p_smallest * s.largest) / row.z;
  t.size = t.abs + t.wrong + t.floor;
  t.steps = std::ceil(row.tokens / m.steps) + row.tiles;
  t.rescale = 4 * row.tiles * kFp32;
  return t;
}

double worst_case(const RoundingModel& m, const RowError& row, const ElementSums& s, const Terms& t, double scale) {
  const double sum = t.abs + t.wrong;
  const double accumulator =
      t.rescale * sum + (m.truncates ? 2 * t.steps * m.grid * t.size + std::min(sum, row.tokens * m.grid * t.size)
                                     : (t.steps + row.tiles + 2) * m.grid * sum);
  double worst = kInf;
  if (row.weights < 1) worst = (t.wrong + t.out * row.weights + accumulator) / (1 - row.weights);
  // Weights are not negative, so whatever they are the output lies within the hull of V.
  worst = std::min(worst, s.largest * (1 + 4 * m.p_unit) + t.out + 2 * accumulator / std::min(1.0, row.z));
  const double partial =
      m.partial_roundings * (m.partial_unit * (t.abs + worst) * scale + m.partial_floor * std::max(1.0, scale));
  const double last = 8 * kFp32 * (t.abs + worst) * scale;
  const double flush = (row.tokens + 8 * row.tiles + 8) * 0x1p-126 * (1 + scale);
  if (row.sink_overflow || row.flushed) worst += t.abs;
  return worst * scale + partial + last + flush + row.v_gap;
}

}  // namespace

ElementError element_error(const RoundingModel& m, const RowError& row, const ElementSums& s) {
  if (!row.promise) return {kInf, kInf, kInf};
  if (std::isinf(row.z)) return {0, 0, 0};  // the sink takes everything: the output is exactly 0
  const double scale = std::fabs(row.out_scale);
  if (m.partial_largest < 2 * s.largest * scale) return {kInf, kInf, kInf};  // a partial may overflow its format
  const Terms t = terms_of(m, row, s);
  ElementError e;
  e.worst = worst_case(m, row, s, t, scale);

  const double p_variance = m.p_roundings * m.p_unit * m.p_unit / 3;
  const double squares = s.spread / (p_variance * row.z * row.z);  // at least sum p^2 v^2
  const bool few_cells = row.cells2 > kFewCells;
  const double weights_sigma = std::sqrt(row.shrink) * (std::sqrt(s.spread) / row.z + t.out * std::sqrt(row.spread));
  const double reach = std::max(s.reach / row.z, t.out);
  // Copies of a token err alike. Where there are many, the plain bound of P's rounding is the smaller one.
  const double p_error = m.p_roundings * m.p_unit;
  const double plain = p_error * (t.abs + (m.sum_of_rounded ? t.out : 0));
  double variance = weights_sigma * weights_sigma * row.copies;
  const bool many_copies = row.copies > 1 && kUsualLimit * std::sqrt(variance) > plain;
  if (many_copies) {
    variance = weights_sigma * weights_sigma + variance * row.score_part;
    e.coherent = plain * scale;
  }
  if (m.p_roundings > 1) variance += m.p_unit * m.p_unit / 3 * t.out * t.out * row.tiles2;
  double own = m.partial_roundings * m.partial_unit * m.partial_unit / 3 * (t.out * t.out + squares);
  variance += own;
  double bias = t.out * row.sum_bias + row.tiles * (m.exp_error + 4 * kFp32) * 2 * reach + t.rescale * reach;
  bias += row.score_shrink * std::fabs(slope_of(row, s));
  if (m.truncates) {
    // Cut remainders are half a unit on average, but equal numbers have equal remainders.
    const double average = few_cells ? 1 : 0.5;
    const double unit = m.grid * (1.5 * reach + std::sqrt(squares) + t.floor);
    const double cut = row.tokens * unit * unit / 3;
    own += cut, variance += cut;
    bias += average * t.steps * m.grid * reach;
    // More signs of one kind than chance gives (two standard deviations of a fair coin).
    const double one_sided = std::max(0.0, std::fabs(s.signs) - 2 * std::sqrt(row.tokens)) + 2;
    const double by_sign = std::min(t.abs + t.wrong, unit / 2 * one_sided);
    const double coherent = t.abs > 0 ? t.out * std::min(1.0, average * row.tokens * unit / t.abs) : 0;
    bias += std::max(by_sign, coherent);  // two views of the same loss
  } else {
    bias += (t.steps + row.tiles + 2) * m.grid * reach;
  }
  // Roundings of equal weights are equal: a coherent error, unless the row sum has it as well.
  if (m.sum_of_unrounded && !many_copies) {
    if (few_cells) {
      e.coherent = p_error * t.out * scale;
    } else {
      variance += p_variance * row.cells2 * t.out * t.out;
    }
  }
  if (row.skipped > 0) bias += t.wrong + t.out * row.weights;
  if (row.sink_overflow || row.flushed) bias += t.abs;
  const double flush = (row.tokens + 8 * row.tiles + 8) * 0x1p-126 * (1 + scale);
  const double tiny = m.partial_roundings * m.partial_floor * std::max(1.0, scale);
  e.sigma = std::sqrt(variance) * scale;
  e.own = own * scale * scale;
  e.bias = e.coherent + bias * scale + 8 * kFp32 * (t.out + reach) * scale + flush + tiny + row.v_gap;
  e.coherent = std::min(e.coherent, e.worst);
  e.bias = std::min(e.bias, e.worst);
  return e;
}

}  // namespace xqacheck::reference
