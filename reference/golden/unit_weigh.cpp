// Pass 2 of a unit: weights, their possible errors, and the weighted sums of V.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/golden/tile_values.hpp"
#include "reference/golden/unit.hpp"

namespace xqacheck::reference {
namespace {

constexpr std::int64_t kBlock = kBlockTokens, kStrip = kStripTokens;

}  // namespace

// Weights of the rows of a tile, [rows][kBlockTokens] each, and a strip of V.
struct Unit::Weights {
  std::vector<double> e, rest, spread, slope;
  std::vector<double> v;
};

void Unit::load_v(std::int64_t block, std::int64_t end, double* tile, Chunk& chunk) const {
  const std::uint32_t dim = problem_.head_dim_v;
  for (std::int64_t t = block; t < end; ++t, tile += dim) {
    if (used_[at(t)] == 0) {
      std::fill_n(tile, dim, 0.0);
      continue;
    }
    const TokenRow row = cache_.v(sequence_, kv_head_, t);
    bool finite = false;
    if (row.values != nullptr) {
      std::copy_n(row.values, dim, tile);
    } else {
      finite = std::isfinite(decode(row.raw, problem_.v.dtype, dim, tile));
    }
    // What is not finite is taken out and put back into the outputs of the rows that see it.
    for (std::uint32_t d = 0; d < dim && !finite; ++d) {
      if (std::isfinite(tile[d])) continue;
      chunk.blemishes.push_back({t, d, tile[d]});
      tile[d] = 0;
    }
  }
}

// A kernel's running maximum is at most the row's, so it may skip no tile that is not below the threshold from there,
// give or take the errors of both scores.
bool Unit::may_skip(const Row& row, const double* scores, std::size_t count) const {
  const double threshold = problem_.skip_softmax_factor / static_cast<double>(sequence_.length);
  if (!(threshold > 0) || threshold >= 1) return false;
  const double tile_max = *std::max_element(scores, scores + count);
  return tile_max - row.weights.max < std::log(threshold) + 2 * row.weights.shift(row.weights.size, largest_k()) + 1e-6;
}

bool Unit::weigh_row(std::size_t r, std::int64_t block, std::int64_t end, Weights& w, Chunk& chunk) const {
  const Row& row = rows_[r];
  const auto count = static_cast<std::size_t>(end - block);
  double* e = w.e.data() + r * kBlock;
  double* rest = options_.error_model ? w.rest.data() + r * kBlock : nullptr;
  double* spread = options_.error_model ? w.spread.data() + r * kBlock : nullptr;
  if (row.nan || !row.any) {
    std::fill_n(e, kBlock, 0.0);
    if (rest != nullptr) std::fill_n(rest, kBlock, 0.0);
    if (spread != nullptr) std::fill_n(spread, kBlock, 0.0);
    if (options_.slope) std::fill_n(w.slope.data() + r * kBlock, kBlock, 0.0);
    return false;
  }
  const double* scores = scores_.data() + r * tokens_ + at(block);
  const double* gap = k_gap_.empty() ? nullptr : k_gap_.data() + at(block);
  TileSums sums = weigh_tile(row.weights, scores, k_norm_.data() + at(block), gap, count, e, rest, spread);
  RowSums& total = chunk.sums[r];
  if (options_.error_model) {
    chunk.coherence[r].add(scores, e, count, row.weights.max);
    for (std::size_t t = 0; t < count && !v_gap_.empty(); ++t) total.v_gap += e[t] * v_gap_[at(block) + t];
    if (problem_.skip_softmax_factor > 0 && may_skip(row, scores, count)) {
      for (std::size_t t = 0; t < count; ++t) rest[t] += e[t];
      sums.rest += sums.e;
      total.skipped += sums.e;
    }
  }
  if (options_.slope) {
    double* slope = w.slope.data() + r * kBlock;
    std::fill_n(slope, kBlock, 0.0);
    for (std::size_t t = 0; t < count; ++t) {
      slope[t] = e[t] > 0 ? e[t] * (scores[t] - row.weights.max) : 0.0;
      total.slope += slope[t];
    }
  }
  total.e += sums.e;
  total.e2 += sums.e2;
  total.rest += sums.rest;
  total.spread += sums.spread;
  total.tiles2 += sums.e * sums.e;
  return sums.rest > 0;
}

void Unit::add_strip(std::int64_t first, std::int64_t begin, std::int64_t end, bool any_rest, Weights& w,
                     Chunk& chunk) const {
  const std::size_t rows = rows_.size(), dim = problem_.head_dim_v;
  const auto count = static_cast<std::size_t>(end - begin);
  const double *v = w.v.data(), *e = w.e.data() + first;
  double* out = chunk.planes[kOut].data();
  load_v(begin, end, w.v.data(), chunk);
  if (options_.error_model) {
    add_moments(e, w.spread.data() + first, rows, v, count, dim,
                {out, chunk.planes[kAbs].data(), chunk.planes[kSpread].data()});
    if (any_rest) add_absolute(w.rest.data() + first, rows, v, count, dim, chunk.planes[kRest].data());
    describe(v, count, dim, chunk.signs.data(), chunk.largest.data());
  } else {
    add_tile(e, rows, v, count, dim, out);
  }
  if (options_.slope) add_tile(w.slope.data() + first, rows, v, count, dim, chunk.planes[kSlope].data());
}

void Unit::weigh(std::size_t index) {
  Chunk& chunk = chunks_[index];
  const std::size_t rows = rows_.size(), dim = problem_.head_dim_v;
  chunk.sums.assign(rows, {});
  for (int i = 0; i < kPlanes; ++i) chunk.planes[i].assign(wants(i) ? rows * dim : 0, 0);
  Weights w;
  w.e.resize(rows * kBlock);
  w.v.resize(kStrip * dim);
  if (options_.slope) w.slope.resize(rows * kBlock);
  if (options_.error_model) {
    chunk.coherence.resize(rows);
    chunk.signs.assign(dim, 0);
    chunk.largest.assign(dim, 0);
    w.rest.resize(rows * kBlock);
    w.spread.resize(rows * kBlock);
  }
  for (std::int64_t block = chunk.begin; block < chunk.end; block += kBlock) {
    const std::int64_t end = std::min(block + kBlock, chunk.end);
    bool any_rest = false;
    for (std::size_t r = 0; r < rows; ++r) any_rest = weigh_row(r, block, end, w, chunk) || any_rest;
    for (std::int64_t t = block; t < end; t += kStrip) {
      add_strip(t - block, t, std::min(t + kStrip, end), any_rest, w, chunk);
    }
    if (options_.error_model) raise_reach(chunk.planes[kOut].data(), rows * dim, chunk.planes[kReach].data());
  }
}

}  // namespace xqacheck::reference
