#include "emulation/kernels/gmma.hpp"

#include <algorithm>

#include "emulation/kernels/constants.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"
#include "emulation/kernels/mixed_arithmetic.hpp"

namespace xqacheck::emulation {

template <class A>
GmmaBlock<A>::GmmaBlock(const A& arithmetic, const Recipe& recipe, const Call& call, const Block& block)
    : a_(arithmetic), recipe_(recipe), call_(call), block_(block), rows_(static_cast<std::uint32_t>(block.rows.size())),
      row_sum_order_(block.keys_on_m ? recipe.row_sum_decode : recipe.row_sum_draft) {
  std::vector<Element> q(std::size_t{rows_} * a_.operand_dim());
  for (std::uint32_t r = 0; r < rows_; ++r) {
    a_.load_q(call.q_offset(block.rows[r].q_row, block.rows[r].q_head), q.data() + std::size_t{r} * a_.operand_dim());
  }
  queries_ = a_.make_queries(rows_, q.data());
  scores_.resize(std::size_t{rows_} * kTile);
  x_.resize(std::size_t{rows_} * kTile);
  kv_.resize(std::size_t{kTile} * std::max(a_.operand_dim(), call.dim));
}

template <class A>
std::vector<PartialRow<typename A::Real>> GmmaBlock<A>::run(std::uint32_t split, bool last) {
  max_.assign(rows_, Real{kSafeRowMax});
  sum_.assign(rows_, Real{0});
  acc_.assign(std::size_t{rows_} * call_.dim, Real{0});
  if (rows_ == 0) return {};
  for (const std::uint32_t tile : split_tiles(recipe_, block_, split)) {
    produce(tile * recipe_.cta_tile);
    consume(tile * recipe_.cta_tile);
  }
  return finish(last);
}

// gemm 0: scores, running maxima (always included), probabilities, and P scaled into the range of its operand format.
template <class A>
void GmmaBlock<A>::produce(std::uint32_t first) {
  const std::uint32_t tokens = std::min(kTile, block_.seq_len - first);  // later ones are read too, but masked
  load_k_tile(a_, call_, block_, 0, first, tokens, kv_.data());
  a_.first_product(queries_, kv_.data(), scores_.data());
  old_max_ = max_;
  std::vector<Real> scaled;
  for (std::uint32_t r = 0; r < rows_; ++r) {
    Real* scores = scores_.data() + std::size_t{r} * kTile;
    scale_and_mask(a_, call_, recipe_, block_, block_.rows[r], first, scores);
    max_[r] = a_.max_row(max_[r], scores, kTile);
    probabilities(a_, recipe_, max_[r], scores);
    scaled.assign(scores, scores + kTile);
    a_.mul_row(Rounding::p, scaled.data(), kTile, recipe_.p_scale);
    a_.round_p(scaled.data(), kTile, x_.data() + std::size_t{r} * kTile);
  }
}

// Row sum of the tile: of P as it was before rounding.
template <class A>
std::uint32_t GmmaBlock<A>::sum_parts(std::uint32_t row, Real* parts) const {
  const Real* p = scores_.data() + std::size_t{row} * kTile;
  if (recipe_.row_sum_source == RowSumSource::exact_p) return row_sums(a_, row_sum_order_, p, parts);
  const Real unscale = 1 / Real{recipe_.p_scale};
  Real rounded[kTile];
  for (std::uint32_t t = 0; t < kTile; ++t) {
    rounded[t] = a_.mul(Rounding::row_sum, a_.value_of(x_[std::size_t{row} * kTile + t]), unscale);
  }
  return row_sums(a_, row_sum_order_, rounded, parts);
}

// gemm 1: rescale what is there, add the tile. V past the sequence is multiplied by 0, not zeroed.
template <class A>
void GmmaBlock<A>::consume(std::uint32_t first) {
  for (std::uint32_t r = 0; r < rows_; ++r) {
    const Real factor = a_.exp_difference(Rounding::rescale, old_max_[r], max_[r]);
    a_.mul_row(Rounding::rescale, acc_.data() + std::size_t{r} * call_.dim, call_.dim, factor);
    Real parts[4];
    const std::uint32_t count = sum_parts(r, parts);
    sum_[r] = a_.mul(Rounding::rescale, sum_[r], factor);
    for (std::uint32_t i = 0; i < count; ++i) sum_[r] = a_.add(Rounding::row_sum, sum_[r], parts[i]);
  }
  const std::uint32_t tokens = readable_tokens(call_, recipe_, block_, first);
  load_v_tile(a_, call_, block_, 0, first, tokens, kv_.data());
  a_.second_product(rows_, tokens, x_.data(), kv_.data(), acc_.data());
}

// End of a split: normalise and take the factor 448 back. A single split adds the sink; partials go to scratch without.
template <class A>
std::vector<PartialRow<typename A::Real>> GmmaBlock<A>::finish(bool last) const {
  const Rounding step = last ? Rounding::output : Rounding::partial;
  std::vector<PartialRow<Real>> result(rows_);
  for (std::uint32_t r = 0; r < rows_; ++r) {
    Real sum = sum_[r];
    result[r].max = max_[r], result[r].sum = sum;
    const std::uint32_t sink = block_.rows[r].sink_head;
    if (last && sink != kNoSink) sum = a_.add(step, sum, a_.exp_difference(step, Real(call_.sink(sink)), max_[r]));
    const Real inverse = a_.reciprocal(step, recipe_.split_reciprocal, sum);
    const Real factor = a_.mul(step, inverse, a_.output_scale());
    result[r].tile.resize(call_.dim);
    for (std::uint32_t d = 0; d < call_.dim; ++d) {
      const Real acc = acc_[std::size_t{r} * call_.dim + d];
      const Real value = recipe_.output_factor == OutputFactor::folded
                             ? a_.mul(step, acc, factor)
                             : a_.mul(step, a_.mul(step, acc, inverse), a_.output_scale());
      result[r].tile[d] = last ? value : a_.round_half(Rounding::partial, value);
    }
  }
  return result;
}

// Adds a partial, scaled by `factor` to the common maximum: acc += tile * weight; returns the new total.
template <class A>
typename A::Real GmmaBlock<A>::weigh(const PartialRow<Real>& partial, Real factor, std::vector<Real>& acc, Real total) const {
  constexpr Rounding step = Rounding::merge;
  const Real weight = a_.mul(step, partial.sum, factor);
  for (std::uint32_t d = 0; d < call_.dim; ++d) acc[d] = a_.fma(step, partial.tile[d], weight, acc[d]);
  return a_.add(step, total, weight);
}

// The last block to arrive merges in split order. A new maximum rescales what is there; otherwise the partial is scaled.
template <class A>
std::vector<typename A::Real> GmmaBlock<A>::merge(const Row& row, const std::vector<PartialRow<Real>>& partials) const {
  constexpr Rounding step = Rounding::merge;
  Real maximum = kSafeRowMax, total = 0;
  std::vector<Real> acc(call_.dim, Real{0});
  if (recipe_.merge == MergeOrder::global_max) {
    for (const auto& partial : partials) maximum = a_.max(maximum, partial.max);
    for (const auto& partial : partials) {
      total = weigh(partial, a_.exp_difference(step, partial.max, maximum), acc, total);
    }
  } else {
    for (const auto& partial : partials) {
      if (partial.max > maximum) {
        const Real factor = a_.exp_difference(step, maximum, partial.max);
        maximum = partial.max;
        total = a_.fma(step, factor, total, partial.sum);
        for (std::uint32_t d = 0; d < call_.dim; ++d) {
          acc[d] = a_.fma(step, factor, acc[d], a_.mul(step, partial.tile[d], partial.sum));
        }
      } else {
        total = weigh(partial, a_.exp_difference(step, partial.max, maximum), acc, total);
      }
    }
  }
  if (row.sink_head != kNoSink) total = a_.add(step, total, a_.exp_difference(step, Real(call_.sink(row.sink_head)), maximum));
  const Real inverse = a_.reciprocal(Rounding::output, recipe_.merge_reciprocal, total);
  for (Real& value : acc) value = a_.mul(Rounding::output, value, inverse);
  return acc;
}

template class GmmaBlock<HalfArithmetic>;
template class GmmaBlock<E4m3Arithmetic>;
template class GmmaBlock<MixedArithmetic>;

}  // namespace xqacheck::emulation
