#include "emulation/kernels/hmma.hpp"

#include <algorithm>

#include "emulation/kernels/constants.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"
#include "emulation/kernels/mixed_arithmetic.hpp"

namespace xqacheck::emulation {

namespace {
constexpr std::uint32_t kSlots = 4;            // tiles of a CTA tile: one for each warp of gemm 0
constexpr std::uint32_t kWarpChannels = 64;    // channels of V that a warp of gemm 1 holds
}  // namespace

template <class A>
HmmaBlock<A>::HmmaBlock(const A& arithmetic, const Recipe& recipe, const Call& call, const Block& block)
    : a_(arithmetic), recipe_(recipe), call_(call), block_(block), rows_(static_cast<std::uint32_t>(block.rows.size())),
      all_rows_(rows_ + (block.has_empty_rows ? 1 : 0)),
      warps_per_group_(std::min(kSlots, call.padded_dim() / kWarpChannels)), group_count_(kSlots / warps_per_group_) {
  const std::uint32_t rows_per_beam = rows_ / call.beams;
  std::vector<Element> q(std::size_t{rows_per_beam} * a_.operand_dim());
  for (std::uint32_t beam = 0; beam < call.beams; ++beam) {
    for (std::uint32_t r = 0; r < rows_per_beam; ++r) {
      const Row& row = block.rows[beam * rows_per_beam + r];
      a_.load_q(call.q_offset(row.q_row, row.q_head), q.data() + std::size_t{r} * a_.operand_dim());
    }
    queries_.push_back(a_.make_queries(rows_per_beam, q.data()));
  }
  // Rows past the last query see what the last draft row sees.
  empty_.dense_end = block.context;
  empty_.draft = call.draft ? call.query_rows(block.request) - 1 : 0;
  empty_.begin = rows_ > 0 ? block.rows.back().begin : 0;
  tile_.scores.resize(std::size_t{all_rows_} * kTile);
  tile_.p.resize(std::size_t{rows_} * kTile);
  tile_.max.resize(all_rows_), tile_.sum.resize(all_rows_);
  kv_.resize(std::size_t{kTile} * std::max(a_.operand_dim(), call.dim));
}

template <class A>
std::vector<PartialRow<typename A::Real>> HmmaBlock<A>::run(std::uint32_t split, bool last) {
  hint_.assign(kSlots, std::vector<Real>(all_rows_, kSafeRowMax));
  groups_.assign(group_count_, {std::vector<Real>(all_rows_, kSafeRowMax), std::vector<Real>(all_rows_, Real{0}),
                                std::vector<Real>(std::size_t{rows_} * call_.dim, Real{0})});
  tiles_done_ = 0;
  if (rows_ == 0) return {};  // drafts of other requests are longer: the block runs, but writes nothing
  for (const std::uint32_t cta_tile : split_tiles(recipe_, block_, split)) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      tile_.slot = slot;
      tile_.first = cta_tile * recipe_.cta_tile + slot * kTile;
      if (tile_.first >= block_.seq_len) continue;  // nothing of the tile exists
      produce(tile_);
      consume(tile_);
      ++tiles_done_;
    }
  }
  exchange();
  return finish(last);
}

// gemm 0: scores, row maxima, probabilities rounded to 16 bit, row sums of the rounded values.
template <class A>
void HmmaBlock<A>::produce(Tile& tile) {
  const std::uint32_t tokens = readable_tokens(call_, recipe_, block_, tile.first);
  const std::uint32_t rows_per_beam = rows_ / call_.beams;
  for (std::uint32_t beam = 0; beam < call_.beams; ++beam) {
    load_k_tile(a_, call_, block_, beam, tile.first, tokens, kv_.data());
    a_.first_product(queries_[beam], kv_.data(), tile.scores.data() + std::size_t{beam} * rows_per_beam * kTile);
  }
  for (std::uint32_t r = 0; r < all_rows_; ++r) {
    const bool has_query = r < rows_;
    Real* scores = tile.scores.data() + std::size_t{r} * kTile;
    if (!has_query) std::fill(scores, scores + kTile, Real{0});
    scale_and_mask(a_, call_, recipe_, block_, has_query ? block_.rows[r] : empty_, tile.first, scores);
    tile.max[r] = a_.max_row(hint_[tile.slot][r], scores, kTile);
    if (!has_query) continue;
    probabilities(a_, recipe_, tile.max[r], scores);
    a_.round_p(scores, kTile, tile.p.data() + std::size_t{r} * kTile);
    if (recipe_.row_sum_source == RowSumSource::exact_p) row_sums(a_, RowSumOrder::tokens, scores, &tile.sum[r]);
  }
  if (recipe_.row_sum_source == RowSumSource::rounded_p) a_.matrix_row_sums(rows_, tile.p.data(), tile.sum.data());
}

// gemm 1: bring the tile and the group to one maximum, then add the tile. If no row of the block has to be rescaled, nothing
// is touched, and the hint stays what it was although the maximum may be above it.
template <class A>
void HmmaBlock<A>::consume(Tile& tile) {
  Group& group = groups_[group_of(tile.slot)];
  const std::uint32_t dim = call_.dim;
  const bool skip_all = std::equal(tile.max.begin(), tile.max.end(), group.max.begin());
  if (!skip_all) {
    for (std::uint32_t r = 0; r < all_rows_; ++r) {
      const Real old = group.max[r], maximum = a_.max(old, tile.max[r]);
      group.max[r] = maximum;
      if (r >= rows_) continue;
      const Real factor = a_.exp_difference(Rounding::rescale, old, maximum);
      group.sum[r] = a_.mul(Rounding::rescale, group.sum[r], factor);
      a_.mul_row(Rounding::rescale, group.acc.data() + std::size_t{r} * dim, dim, factor);
      if (tile.max[r] == maximum) continue;  // a factor of 1 changes neither the sum nor P
      const Real tile_factor = a_.exp_difference(Rounding::rescale, tile.max[r], maximum);
      tile.sum[r] = a_.mul(Rounding::rescale, tile.sum[r], tile_factor);
      Element* p = tile.p.data() + std::size_t{r} * kTile;
      if (recipe_.p_rescale == PRescale::product16) {
        a_.scale_p(Rounding::rescale, p, kTile, tile_factor);
      } else {
        Real* wide = tile.scores.data() + std::size_t{r} * kTile;
        for (std::uint32_t t = 0; t < kTile; ++t) wide[t] = a_.value_of(p[t]);
        a_.mul_row(Rounding::rescale, wide, kTile, tile_factor);
        a_.round_p(wide, kTile, p);
      }
    }
  }
  for (std::uint32_t r = 0; r < rows_; ++r) group.sum[r] = a_.add(Rounding::row_sum, group.sum[r], tile.sum[r]);

  const std::uint32_t tokens = readable_tokens(call_, recipe_, block_, tile.first);
  const std::uint32_t rows_per_beam = rows_ / call_.beams;
  for (std::uint32_t beam = 0; beam < call_.beams; ++beam) {
    load_v_tile(a_, call_, block_, beam, tile.first, tokens, kv_.data());
    const Element* p = tile.p.data() + std::size_t{beam} * rows_per_beam * kTile;
    Real* acc = group.acc.data() + std::size_t{beam} * rows_per_beam * dim;
    if (call_.beams == 1) {
      a_.second_product(rows_per_beam, tokens, p, kv_.data(), acc);
      continue;
    }
    // With beams the product of a tile starts from zero and is added in f32.
    std::vector<Real> product(std::size_t{rows_per_beam} * dim, Real{0});
    a_.second_product(rows_per_beam, tokens, p, kv_.data(), product.data());
    for (std::size_t i = 0; i < product.size(); ++i) acc[i] = a_.add(Rounding::pv, acc[i], product[i]);
  }

  // One warp of the group owns the hint of a slot; with NG = 2 only slots 0 and 3 have an owner that sees them.
  const bool owned = tile.slot / warps_per_group_ == group_of(tile.slot);
  if (recipe_.hint == HintPolicy::every_tile || (recipe_.hint == HintPolicy::owner && owned && !skip_all)) {
    hint_[tile.slot] = group.max;
  }
}

// End of the split: every group takes in the maxima and sums of the others, starting with the next one.
template <class A>
void HmmaBlock<A>::exchange() {
  const std::vector<Group> before = groups_;
  std::vector<Real> first_factors(std::size_t{group_count_} * rows_);  // those of group 0: [k][row]
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    Group& group = groups_[g];
    for (std::uint32_t k = 1; k < group_count_; ++k) {
      const Group& other = before[(g + k) % group_count_];
      for (std::uint32_t r = 0; r < rows_; ++r) {
        const Real maximum = a_.max(group.max[r], other.max[r]);
        const Real mine = a_.exp_difference(Rounding::merge, group.max[r], maximum);
        const Real theirs = a_.exp_difference(Rounding::merge, other.max[r], maximum);
        group.max[r] = maximum;
        Real& first = first_factors[std::size_t{k} * rows_ + r];
        if (g == 0) first = mine;
        a_.mul_row(Rounding::merge, group.acc.data() + std::size_t{r} * call_.dim, call_.dim,
                   recipe_.factors == GroupFactors::own ? mine : first);
        const Real addend = a_.mul(Rounding::merge, other.sum[r], theirs);
        group.sum[r] = recipe_.exchange == GroupExchange::fma
                           ? a_.fma(Rounding::merge, group.sum[r], mine, addend)
                           : a_.add(Rounding::merge, a_.mul(Rounding::merge, group.sum[r], mine), addend);
      }
    }
  }
}

// The 16-bit sum of the groups' tiles starts at +0, so that tiles of -0 give +0; a single group is not added at all.
template <class A>
typename A::Real HmmaBlock<A>::add_tile(Rounding step, Real sum, Real tile) const {
  return group_count_ == 1 ? tile : a_.add_half(step, sum, tile);
}

// Normalise, round to 16 bit, add the groups' tiles in 16-bit arithmetic. Group 0's maximum and sum go to scratch.
template <class A>
std::vector<PartialRow<typename A::Real>> HmmaBlock<A>::finish(bool last) {
  const Rounding step = last ? Rounding::output : Rounding::partial;
  std::vector<PartialRow<Real>> result(rows_);
  for (std::uint32_t r = 0; r < rows_; ++r) {
    PartialRow<Real>& partial = result[r];
    partial.max = groups_[0].max[r], partial.sum = groups_[0].sum[r];
    partial.tile.assign(call_.dim, Real{0});
    if (tiles_done_ == 0) continue;  // a split without tiles leaves zeros, and so does a request of length 0
    for (std::uint32_t g = 0; g < group_count_; ++g) {
      const Group& source = groups_[g];
      Real sum = source.sum[r];
      const std::uint32_t sink = block_.rows[r].sink_head;
      if (last && sink != kNoSink) sum = a_.add(step, sum, a_.exp_difference(step, Real(call_.sink(sink)), source.max[r]));
      const Real inverse = a_.reciprocal(step, recipe_.split_reciprocal, sum);
      const Real factor = a_.mul(step, inverse, a_.output_scale());
      for (std::uint32_t d = 0; d < call_.dim; ++d) {
        const Real acc = groups_[g].acc[std::size_t{r} * call_.dim + d];
        const Real value = recipe_.output_factor == OutputFactor::folded
                               ? a_.mul(step, acc, factor)
                               : a_.mul(step, a_.mul(step, acc, inverse), a_.output_scale());
        Real& out = partial.tile[d];
        if (recipe_.tile_add == TileAdd::half) {
          out = add_tile(step, out, a_.round_half(step, value));
        } else {
          out = a_.add(step, out, value);
        }
      }
    }
    if (recipe_.tile_add == TileAdd::f32) {
      for (Real& out : partial.tile) out = a_.round_half(step, out);
    }
  }
  return result;
}

// The last block to arrive: group g takes splits g, g + NG, … and weighs their finished tiles.
template <class A>
std::vector<typename A::Real> HmmaBlock<A>::merge(const Row& row, const std::vector<PartialRow<Real>>& partials) const {
  constexpr Rounding step = Rounding::merge;
  Real maximum = partials[0].max;
  for (const auto& partial : partials) maximum = a_.max(maximum, partial.max);

  std::vector<Real> weight(group_count_, Real{0});
  std::vector<std::vector<Real>> acc(group_count_, std::vector<Real>(call_.dim, Real{0}));
  for (std::uint32_t n = 0; n < partials.size(); ++n) {
    const std::uint32_t g = n % group_count_;
    const Real w = a_.mul(step, partials[n].sum, a_.exp_difference(step, partials[n].max, maximum));
    weight[g] = a_.add(step, weight[g], w);
    for (std::uint32_t d = 0; d < call_.dim; ++d) acc[g][d] = a_.fma(step, partials[n].tile[d], w, acc[g][d]);
  }
  Real total = weight[0];
  for (std::uint32_t g = 1; g < group_count_; ++g) total = a_.add(step, total, weight[g]);
  if (row.sink_head != kNoSink) total = a_.add(step, total, a_.exp_difference(step, Real(call_.sink(row.sink_head)), maximum));

  const Real inverse = a_.reciprocal(Rounding::output, recipe_.merge_reciprocal, total);
  std::vector<Real> out(call_.dim, Real{0});
  for (std::uint32_t g = 0; g < group_count_; ++g) {
    for (std::uint32_t d = 0; d < call_.dim; ++d) {
      const Real tile = a_.round_half(Rounding::output, a_.mul(Rounding::output, acc[g][d], inverse));
      out[d] = add_tile(Rounding::output, out[d], tile);
    }
  }
  return out;
}

template class HmmaBlock<HalfArithmetic>;
template class HmmaBlock<MixedArithmetic>;

}  // namespace xqacheck::emulation
