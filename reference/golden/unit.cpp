#include "reference/golden/unit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {
namespace {

constexpr std::int64_t kBlock = kBlockTokens;
// Tokens a task takes: long enough to amortise the merge (2,048 x 128 products against 128 additions a row), short
// enough that one request of 8,192 tokens keeps four cores busy.
constexpr std::int64_t kChunk = 2048;

}  // namespace

void RowSums::add(const RowSums& o) {
  e += o.e;
  e2 += o.e2;
  rest += o.rest;
  spread += o.spread;
  tiles2 += o.tiles2;
  skipped += o.skipped;
  v_gap += o.v_gap;
  slope += o.slope;
}

Unit::Unit(const xqacheck_problem& problem, const Sight& sight, const CacheReader& cache, const Queries& queries,
           const RoundingModel& model, const Sequence& sequence, std::uint32_t kv_head, UnitOptions options)
    : problem_(problem), cache_(cache), model_(model), sequence_(sequence), kv_head_(kv_head), options_(options) {
  scale_ = value_of(problem.q_scale) * value_of(problem.k_scale) / std::sqrt(static_cast<double>(problem.head_dim));
  const std::uint32_t group = problem.q_heads / problem.kv_heads, n = sequence.rows;
  const std::int64_t drafts = sequence.drafts_begin();
  begin_ = sequence.first_seen / kBlock * kBlock;
  // Whole vectors of every machine: a partial store may write its neighbours back, which no other thread may touch.
  tokens_ = static_cast<std::size_t>(std::max<std::int64_t>(sequence.length - begin_, 0) + 7) / 8 * 8;
  drafts_.resize(std::size_t{n} * n);
  used_.assign(tokens_, 0);
  rows_.resize(std::size_t{n} * group);
  std::vector<double> q(rows_.size() * problem.head_dim);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t start = sight.window_start(sequence, i);
    std::int64_t visible = std::max<std::int64_t>(drafts - start, 0);
    for (std::uint32_t j = 0; j < n && sequence.length > 0; ++j) {
      const bool sees_it = sight.sees(sequence, i, drafts + j);
      drafts_[std::size_t{i} * n + j] = sees_it;
      visible += sees_it ? 1 : 0;
      if (sees_it) used_[at(drafts + j)] = 1;
    }
    for (std::uint32_t j = 0; j < group; ++j) {
      const std::size_t r = std::size_t{i} * group + j;
      const std::uint32_t head = kv_head * group + j;
      const std::size_t index = (sequence.first_row + i) * problem.q_heads + head;
      rows_[r] = {i, head, start, sequence.length > 0 ? visible : 0, queries.norm[index], queries.slack[index], {}};
      std::copy_n(queries.values.data() + index * problem.head_dim, problem.head_dim, q.data() + r * problem.head_dim);
    }
  }
  for (std::int64_t t = sequence.first_seen; t < drafts; ++t) used_[at(t)] = 1;
  queries_ = pack_queries(std::move(q), rows_.size(), problem.head_dim);
  scores_.resize(rows_.size() * tokens_);
  k_norm_.resize(tokens_);
  if (options.error_model) keys_.resize(tokens_);
  if (problem.k_new.data != nullptr) {
    k_gap_.resize(tokens_);
    v_gap_.resize(tokens_);
  }
  for (std::int64_t t = begin_; t < sequence.length; t += kChunk) {
    Chunk chunk;
    chunk.begin = t;
    chunk.end = std::min(t + kChunk, sequence.length);
    chunks_.push_back(std::move(chunk));
  }
}

double Unit::scratch_bytes() const {
  int planes = 0;
  for (int i = 0; i < kPlanes; ++i) planes += wants(i) ? 1 : 0;
  const double sums = static_cast<double>(rows_.size()) * problem_.head_dim_v * planes;
  return 8.0 * (static_cast<double>(scores_.size()) + static_cast<double>(chunks_.size()) * sums);
}

bool Unit::sees(const Row& row, std::int64_t token) const {
  if (token < row.window_start) return false;
  if (token < sequence_.drafts_begin()) return true;
  return drafts_[std::size_t{row.draft} * sequence_.rows +
                 static_cast<std::size_t>(token - sequence_.drafts_begin())] != 0;
}

bool Unit::weight_is_zero(std::size_t row, std::int64_t token) const {
  return scores_[row * tokens_ + at(token)] == -std::numeric_limits<double>::infinity();
}

double Unit::largest_k() const {
  double largest = 0;
  for (const Chunk& chunk : chunks_) largest = std::max(largest, chunk.largest_k);
  return largest;
}

void Unit::settle() {
  copies_ = count_copies();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    Row& row = rows_[r];
    double max = -std::numeric_limits<double>::infinity(), size = 0;
    for (const Chunk& chunk : chunks_) {
      max = std::max(max, chunk.row_max[r]);
      size = std::max(size, chunk.row_size[r]);
      row.nan = row.nan || chunk.row_nan[r] != 0;
    }
    row.any = max > -std::numeric_limits<double>::infinity();
    row.weights =
        weight_model(model_, scale_, problem_.head_dim, row.q_norm, row.q_slack, max, size, largest_k(), row.tokens);
  }
}

}  // namespace xqacheck::reference
