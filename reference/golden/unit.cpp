#include "reference/golden/unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/golden/contract.hpp"
#include "reference/golden/score_error.hpp"
#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBlock = kBlockTokens;
// Tokens a task takes: long enough to amortise the merge (2,048 x 128 products against 128 additions a row), short
// enough that one request of 8,192 tokens keeps four cores busy.
constexpr std::int64_t kChunk = 2048;
// Sums beyond this may leave the range of fp32 in a kernel, in whatever order it adds.
constexpr double kFp32Range = 0x1p126;

void decode_row(const TokenRow& row, std::uint32_t dtype, std::uint32_t count, double* out) {
  if (row.values != nullptr) {
    std::copy_n(row.values, count, out);
    return;
  }
  decode(row.raw, dtype, count, out);
}

}  // namespace

void RowSums::add(const RowSums& o) {
  e += o.e;
  e2 += o.e2;
  wrong += o.wrong;
  spread += o.spread;
  tiles2 += o.tiles2;
  skipped += o.skipped;
  v_gap += o.v_gap;
  tokens += o.tokens;
}

Unit::Unit(const xqacheck_problem& problem, const Sight& sight, const CacheReader& cache, const Queries& queries,
           const RoundingModel& model, const Sequence& sequence, std::uint32_t kv_head, bool error_model)
    : problem_(problem),
      cache_(cache),
      model_(model),
      sequence_(sequence),
      kv_head_(kv_head),
      error_model_(error_model) {
  scale_ = value_of(problem.q_scale) * value_of(problem.k_scale) / std::sqrt(static_cast<double>(problem.head_dim));
  const std::uint32_t group = problem.q_heads / problem.kv_heads, n = sequence.rows;
  begin_ = sequence.first_seen / kBlock * kBlock;
  const std::size_t tokens = static_cast<std::size_t>(std::max<std::int64_t>(sequence.length - begin_, 0));
  rows_.resize(std::size_t{n} * group);
  q_.resize(rows_.size() * problem.head_dim);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < group; ++j) {
      const std::size_t r = std::size_t{i} * group + j;
      const std::uint32_t head = kv_head * group + j;
      const std::size_t index = (sequence.first_row + i) * problem.q_heads + head;
      rows_[r] = {i, head, sight.window_start(sequence, i), queries.norm[index], queries.slack[index]};
      std::copy_n(queries.values.data() + index * problem.head_dim, problem.head_dim, q_.data() + r * problem.head_dim);
    }
  }
  drafts_.resize(std::size_t{n} * n);
  used_.assign(tokens, 0);
  std::int64_t start = sequence.length;
  for (std::uint32_t i = 0; i < n; ++i) {
    start = std::min(start, rows_[std::size_t{i} * group].window_start);
    for (std::uint32_t j = 0; j < n && sequence.length > 0; ++j) {
      const std::int64_t token = sequence.drafts_begin() + j;
      const bool sees_it = sight.sees(sequence, i, token);
      drafts_[std::size_t{i} * n + j] = sees_it;
      if (sees_it) used_[static_cast<std::size_t>(token - begin_)] = 1;
    }
  }
  for (std::int64_t t = start; t < sequence.drafts_begin(); ++t) used_[static_cast<std::size_t>(t - begin_)] = 1;
  scores_.resize(rows_.size() * tokens);
  k_norm_.resize(tokens);
  k_gap_.resize(tokens);
  v_gap_.resize(tokens);
  for (std::int64_t t = begin_; t < sequence.length; t += kChunk) {
    Chunk chunk;
    chunk.begin = t;
    chunk.end = std::min(t + kChunk, sequence.length);
    chunks_.push_back(std::move(chunk));
  }
}

double Unit::scratch_bytes() const {
  const double sums = static_cast<double>(rows_.size()) * problem_.head_dim_v * (error_model_ ? kPlanes : 1);
  return 8.0 * (static_cast<double>(scores_.size()) + static_cast<double>(chunks_.size()) * sums);
}

bool Unit::sees(const Row& row, std::int64_t token) const {
  if (token < row.window_start) return false;
  if (token < sequence_.drafts_begin()) return true;
  const auto draft = static_cast<std::size_t>(token - sequence_.drafts_begin());
  return drafts_[std::size_t{row.draft} * sequence_.rows + draft] != 0;
}

bool Unit::weight_is_zero(std::size_t row, std::int64_t token) const {
  const auto tokens = static_cast<std::size_t>(sequence_.length - begin_);
  return scores_[row * tokens + static_cast<std::size_t>(token - begin_)] == -kInf;
}

void Unit::load_k(std::int64_t block, double* tile) const {
  const std::int64_t end = std::min(block + kBlock, sequence_.length);
  for (std::int64_t t = block; t < end; ++t, tile += problem_.head_dim) {
    if (used_[static_cast<std::size_t>(t - begin_)] == 0) {
      std::fill_n(tile, problem_.head_dim, 0.0);
    } else {
      decode_row(cache_.k(sequence_, kv_head_, t), problem_.k.dtype, problem_.head_dim, tile);
    }
  }
}

void Unit::load_v(std::int64_t block, double* tile, Chunk& chunk) const {
  const std::uint32_t dim = problem_.head_dim_v;
  const std::int64_t end = std::min(block + kBlock, sequence_.length);
  for (std::int64_t t = block; t < end; ++t, tile += dim) {
    if (used_[static_cast<std::size_t>(t - begin_)] == 0) {
      std::fill_n(tile, dim, 0.0);
      continue;
    }
    decode_row(cache_.v(sequence_, kv_head_, t), problem_.v.dtype, dim, tile);
    for (std::uint32_t d = 0; d < dim; ++d) {
      if (std::isfinite(tile[d])) continue;
      chunk.blemishes.push_back({t, d, tile[d]});
      tile[d] = 0;
    }
  }
}

void Unit::score(std::size_t index) {
  Chunk& chunk = chunks_[index];
  const std::size_t rows = rows_.size(), dim = problem_.head_dim;
  const std::size_t tokens = static_cast<std::size_t>(sequence_.length - begin_);
  chunk.row_max.assign(rows, -kInf);
  chunk.row_size.assign(rows, 0);
  chunk.row_nan.assign(rows, 0);
  std::vector<double> tile(kBlock * dim);
  for (std::int64_t block = chunk.begin; block < chunk.end; block += kBlock) {
    const auto count = static_cast<std::size_t>(std::min(kBlock, chunk.end - block));
    const auto first = static_cast<std::size_t>(block - begin_);
    load_k(block, tile.data());
    score_tile(q_.data(), rows, tile.data(), count, dim, scores_.data() + first, tokens);
    for (std::size_t t = 0; t < count && error_model_; ++t) {
      k_norm_[first + t] = norm(tile.data() + t * dim, dim);
      if (used_[first + t] == 0) continue;
      k_gap_[first + t] = cache_.k_gap(sequence_, kv_head_, block + static_cast<std::int64_t>(t));
      v_gap_[first + t] = cache_.v_gap(sequence_, kv_head_, block + static_cast<std::int64_t>(t));
    }
    for (std::size_t r = 0; r < rows; ++r) {
      double* scores = scores_.data() + r * tokens + first;
      for (std::size_t t = 0; t < count; ++t) {
        if (!sees(rows_[r], block + static_cast<std::int64_t>(t))) {
          scores[t] = -kInf;
          continue;
        }
        scores[t] *= scale_;
        if (std::isnan(scores[t]) || scores[t] == kInf) chunk.row_nan[r] = 1;
        if (scores[t] > chunk.row_max[r]) chunk.row_max[r] = scores[t];
        if (std::isfinite(scores[t])) chunk.row_size[r] = std::max(chunk.row_size[r], std::fabs(scores[t]));
        if (error_model_ && rows_[r].q_norm * k_norm_[first + t] > kFp32Range) chunk.overflow = true;
      }
    }
  }
}

void Unit::settle() {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Row& row = rows_[r];
    row.max = -kInf;
    for (const Chunk& chunk : chunks_) {
      row.max = std::max(row.max, chunk.row_max[r]);
      row.size = std::max(row.size, chunk.row_size[r]);
      row.nan = row.nan || chunk.row_nan[r] != 0;
    }
    row.any = row.max > -kInf;
  }
}

void Unit::weights_of(const Row& row, std::int64_t block, std::int64_t end, const double* scores, double* e,
                      double* wrong, double* spread, RowSums& sums) const {
  const auto count = static_cast<std::size_t>(end - block);
  std::fill_n(e, kBlock, 0.0);
  std::fill_n(wrong, kBlock, 0.0);
  std::fill_n(spread, kBlock, 0.0);
  if (row.nan || !row.any) return;
  double tile_sum = 0, tile_max = -kInf;
  for (std::size_t t = 0; t < count; ++t) {
    e[t] = std::exp(scores[t] - row.max);
    tile_sum += e[t];
    sums.e2 += e[t] * e[t];
    tile_max = std::max(tile_max, scores[t]);
  }
  sums.e += tile_sum;
  sums.tiles2 += tile_sum * tile_sum;
  for (std::size_t t = 0; t < count; ++t) sums.tokens += sees(row, block + static_cast<std::int64_t>(t)) ? 1 : 0;
  if (!error_model_) return;

  const ScoreError error(problem_, model_, scale_, row.q_norm, row.q_slack, row.max, row.size, sequence_.length);
  const auto first = static_cast<std::size_t>(block - begin_);
  // Skip-softmax: whatever running maximum the kernel has, it is at most the row's; the slack of the scores on both
  // sides.
  const double threshold = problem_.skip_softmax_factor / static_cast<double>(sequence_.length);
  bool may_skip = false;
  if (problem_.skip_softmax_factor > 0 && threshold < 1 && tile_max > -kInf) {
    may_skip = tile_max - row.max < std::log(threshold) + 2 * error.most(row.size, k_norm_.data() + first, count);
  }
  for (std::size_t t = 0; t < count; ++t) {
    if (e[t] == 0) continue;
    const TokenError token = error.of(scores[t], e[t], k_norm_[first + t], k_gap_[first + t]);
    wrong[t] = token.wrong + (may_skip ? e[t] : 0);
    spread[t] = token.variance;
    sums.wrong += wrong[t];
    sums.spread += spread[t];
    sums.v_gap += e[t] * v_gap_[first + t];
    if (may_skip) sums.skipped += e[t];
  }
}

void Unit::weigh(std::size_t index) {
  Chunk& chunk = chunks_[index];
  const std::size_t rows = rows_.size(), dim = problem_.head_dim_v;
  const std::size_t tokens = static_cast<std::size_t>(sequence_.length - begin_);
  chunk.sums.assign(rows, {});
  const int planes = error_model_ ? kPlanes : 1;
  for (int i = 0; i < planes; ++i) chunk.planes[i].assign(rows * dim, 0);
  chunk.signs.assign(dim, 0);
  chunk.largest.assign(dim, 0);
  std::vector<double> tile(kBlock * dim), other(error_model_ ? kBlock * dim : 0);
  std::vector<double> e(rows * kBlock), wrong(rows * kBlock), spread(rows * kBlock);
  for (std::int64_t block = chunk.begin; block < chunk.end; block += kBlock) {
    const std::int64_t end = std::min(block + kBlock, chunk.end);
    const auto count = static_cast<std::size_t>(end - block);
    for (std::size_t r = 0; r < rows; ++r) {
      weights_of(rows_[r], block, end, scores_.data() + r * tokens + static_cast<std::size_t>(block - begin_),
                 e.data() + r * kBlock, wrong.data() + r * kBlock, spread.data() + r * kBlock, chunk.sums[r]);
    }
    load_v(block, tile.data(), chunk);
    add_tile(e.data(), rows, tile.data(), count, dim, chunk.planes[kOut].data());
    if (!error_model_) continue;
    for (std::size_t i = 0; i < rows * dim; ++i) {
      chunk.planes[kReach][i] = std::max(chunk.planes[kReach][i], std::fabs(chunk.planes[kOut][i]));
    }
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t d = 0; d < dim; ++d) {
        const double v = tile[t * dim + d];
        chunk.signs[d] += v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0;
        other[t * dim + d] = std::fabs(v);
        chunk.largest[d] = std::max(chunk.largest[d], std::fabs(v));
        tile[t * dim + d] = v * v;
      }
    }
    add_tile(e.data(), rows, other.data(), count, dim, chunk.planes[kAbs].data());
    add_tile(wrong.data(), rows, other.data(), count, dim, chunk.planes[kWrong].data());
    add_tile(spread.data(), rows, tile.data(), count, dim, chunk.planes[kSpread].data());
  }
}

}  // namespace xqacheck::reference
