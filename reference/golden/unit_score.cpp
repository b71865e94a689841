// Pass 1 of a unit: scores of every visible token, and what the second pass needs to know about them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/golden/element.hpp"
#include "reference/golden/tile_values.hpp"
#include "reference/golden/unit.hpp"
#include "xxhash.h"

namespace xqacheck::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBlock = kBlockTokens, kStrip = kStripTokens;

}  // namespace

std::uint64_t Unit::quick_key(const TokenRow& k, double square) const {
  std::uint64_t start = 0;
  std::memcpy(&start, k.values != nullptr ? static_cast<const void*>(k.values) : k.raw, sizeof start);  // 8 channels
  // The constants of SplitMix64, which spread all bits over the low ones that the table uses.
  std::uint64_t key = (std::bit_cast<std::uint64_t>(square) ^ start * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  key = (key ^ key >> 31) * 0x94d049bb133111ebu;
  return (key ^ key >> 31) | 1u;
}

std::uint32_t Unit::count_copies() const {
  const std::uint32_t most = most_copies(keys_);
  if (most < 2) return most;
  std::vector<std::uint64_t> keys(keys_.size(), 0);
  for (std::int64_t t = begin_; t < sequence_.length; ++t) {
    if (used_[at(t)] == 0) continue;
    keys[at(t)] = key_of(cache_.k(sequence_, kv_head_, t), cache_.v(sequence_, kv_head_, t));
  }
  return most_copies(keys);
}

std::uint64_t Unit::key_of(const TokenRow& k, const TokenRow& v) const {
  const auto hash = [](const TokenRow& row, std::uint32_t dim, std::uint32_t dtype, std::uint64_t seed) {
    return row.values != nullptr ? XXH3_64bits_withSeed(row.values, dim * sizeof(double), seed)
                                 : XXH3_64bits_withSeed(row.raw, dim * std::size_t{bytes_of(dtype)}, seed);
  };
  const std::uint64_t of_k = hash(k, problem_.head_dim, problem_.k.dtype, 0);
  if (problem_.kv_aliased != 0) return of_k | 1u;
  return hash(v, problem_.head_dim_v, problem_.v.dtype, of_k) | 1u;
}

void Unit::load_k(std::int64_t block, std::int64_t end, double* tile, Chunk& chunk) {
  const std::uint32_t dim = problem_.head_dim;
  for (std::int64_t t = block; t < end; ++t, tile += dim) {
    if (used_[at(t)] == 0) {
      std::fill_n(tile, dim, 0.0);
      continue;
    }
    const TokenRow row = cache_.k(sequence_, kv_head_, t);
    double square = 0;
    if (row.values != nullptr) {
      std::copy_n(row.values, dim, tile);
      for (std::uint32_t d = 0; d < dim; ++d) square += tile[d] * tile[d];
    } else {
      // NaN and Inf go through the products as IEEE 754 has it: they reach exactly this token's scores.
      square = decode(row.raw, problem_.k.dtype, dim, tile);
    }
    // A NaN or Inf in K makes its rows NaN; the others do not see it.
    k_norm_[at(t)] = std::isfinite(square) ? std::sqrt(square) : 0;
    chunk.largest_k = std::max(chunk.largest_k, k_norm_[at(t)]);
    if (options_.error_model) keys_[at(t)] = quick_key(row, square);
    if (k_gap_.empty()) continue;
    k_gap_[at(t)] = cache_.k_gap(sequence_, kv_head_, t);
    v_gap_[at(t)] = cache_.v_gap(sequence_, kv_head_, t);
  }
}

void Unit::hide_unseen(const Row& row, std::int64_t block, std::int64_t end, double* scores) const {
  for (std::int64_t t = block; t < std::min(end, row.window_start); ++t) scores[t - block] = -kInf;
  for (std::int64_t t = std::max(block, sequence_.drafts_begin()); t < end; ++t) {
    if (!sees(row, t)) scores[t - block] = -kInf;
  }
}

void Unit::score(std::size_t index) {
  Chunk& chunk = chunks_[index];
  const std::size_t rows = rows_.size(), dim = problem_.head_dim;
  chunk.row_max.assign(rows, -kInf);
  chunk.row_size.assign(rows, 0);
  chunk.row_nan.assign(rows, 0);
  std::vector<double> strip(kStrip * dim), products(queries_.padded * kStrip), patch(rows * kBlock);
  for (std::int64_t block = chunk.begin; block < chunk.end; block += kBlock) {
    const std::int64_t end = std::min(block + kBlock, chunk.end);
    const auto count = static_cast<std::size_t>(end - block);
    for (std::int64_t t = block; t < end; t += kStrip) {
      const std::int64_t strip_end = std::min(t + kStrip, end);
      load_k(t, strip_end, strip.data(), chunk);
      score_tile(queries_, strip.data(), static_cast<std::size_t>(strip_end - t), products.data(),
                 patch.data() + (t - block));
    }
    for (std::size_t r = 0; r < rows; ++r) {
      double* scores = scores_.data() + r * tokens_ + at(block);
      std::copy_n(patch.data() + r * kBlock, count, scores);
      double scale = scale_;
      if (scale <= 0) {  // would turn the -inf of unseen tokens around
        for (std::size_t t = 0; t < count; ++t) scores[t] *= scale;
        scale = 1;
      }
      hide_unseen(rows_[r], block, end, scores);
      const ScoreStats stats = scale_scores(scores, count, scale);
      chunk.row_max[r] = std::max(chunk.row_max[r], stats.max);
      chunk.row_size[r] = std::max(chunk.row_size[r], stats.size);
      if (stats.nan) chunk.row_nan[r] = 1;
    }
  }
}

}  // namespace xqacheck::reference
