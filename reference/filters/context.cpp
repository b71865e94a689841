#include "reference/filters/context.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/golden/element.hpp"
#include "reference/golden/tensor.hpp"
#include "reference/golden/tile_values.hpp"

namespace xqacheck::reference::filters {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kTileTokens = 64;

std::vector<double> read_sinks(const xqacheck_problem& problem) {
  std::vector<double> sinks(problem.q_heads, -kInf);
  if (problem.sinks.data == nullptr) return sinks;
  for (std::uint32_t h = 0; h < problem.q_heads; ++h) sinks[h] = number_at(problem.sinks, "sinks", h);
  return sinks;
}

// Numbers of a row; false when it holds NaN or Inf.
bool read_row(const TokenRow& row, std::uint32_t dtype, Eigen::Index count, double* to) {
  if (row.values == nullptr) return std::isfinite(decode(row.raw, dtype, static_cast<std::size_t>(count), to));
  std::copy_n(row.values, count, to);
  return std::all_of(to, to + count, [](double x) { return std::isfinite(x); });
}

bool read_token(const Context& c, const Group& g, std::int64_t token, Block& block, Eigen::Index at) {
  const bool past_the_end = token >= g.sequence->length;
  if (past_the_end && (c.appended.present() || token >= c.problem.max_seq_len)) return false;
  try {
    const bool k = read_row(c.reader.k(*g.sequence, g.kv_head, token), c.problem.k.dtype, block.keys.cols(),
                            block.keys.row(at).data());
    const bool v = read_row(c.reader.v(*g.sequence, g.kv_head, token), c.problem.v.dtype, block.values.cols(),
                            block.values.row(at).data());
    return k && v;
  } catch (const std::out_of_range&) {
    if (!past_the_end) throw;
    return false;  // nothing lies behind the last token, so no kernel can have read it unnoticed
  }
}

}  // namespace

Context::Context(const xqacheck_problem& p, const Golden& g, const xqacheck_numerics* numerics,
                 std::span<const double> got, std::uint32_t splits_used)
    : problem(p),
      golden(g),
      p_dtype(numerics != nullptr && numerics->p_format != XQACHECK_NONE ? numerics->p_format
                                                                         : std::uint32_t{XQACHECK_BF16}),
      p_scale(numerics != nullptr && numerics->p_scale > 0 ? double{numerics->p_scale} : 1.0),
      model(rounding_model(p, numerics)),
      sight(p),
      queries(make_queries(p, sight, model.q_format)),
      appended(make_appended(p, sight)),
      reader(p, appended),
      evidence(make_evidence(p, g, got)),
      sinks(read_sinks(p)),
      score_scale(value_of(p.q_scale) * value_of(p.k_scale) / std::sqrt(double{1} * p.head_dim)),
      out_scale(value_of(p.v_scale) * value_of(p.rcp_out_scale)),
      splits(splits_used),
      page_tokens(p.page_tokens != 0 ? p.page_tokens : kTileTokens) {}

Group make_group(const Context& c, std::size_t task) {
  Group g;
  g.sequence_index = task / c.problem.kv_heads;
  g.sequence = &c.sight.sequences()[g.sequence_index];
  g.kv_head = static_cast<std::uint32_t>(task % c.problem.kv_heads);
  g.group = c.group();
  const Eigen::Index lines = Eigen::Index{g.sequence->rows} * g.group, dim_v = c.problem.head_dim_v,
                     dim = c.problem.head_dim;
  g.q.resize(lines, dim);
  g.o.setZero(lines, dim_v);
  g.e.setZero(lines, dim_v);
  g.w.setZero(lines, dim_v);
  g.lse.setConstant(lines, kInf);
  g.place.resize(static_cast<std::size_t>(lines));
  for (Eigen::Index l = 0; l < lines; ++l) {
    const std::uint64_t place = (g.sequence->first_row + g.draft(l)) * c.problem.q_heads + g.head(l);
    g.place[static_cast<std::size_t>(l)] = place;
    std::copy_n(c.queries.values.data() + place * c.problem.head_dim, dim, g.q.row(l).data());
    if (c.golden.special[place] != 0 || c.golden.empty[place] != 0) {
      g.q.row(l).setZero();  // may hold NaN
      continue;
    }
    const std::uint64_t first = place * c.problem.head_dim_v;
    std::copy_n(c.golden.out.data() + first, dim_v, g.o.row(l).data());
    std::copy_n(c.evidence.error.data() + first, dim_v, g.e.row(l).data());
    std::copy_n(c.evidence.weight.data() + first, dim_v, g.w.row(l).data());
    g.lse[l] = c.golden.lse[place];
  }
  return g;
}

Block read_block(const Context& c, const Group& g, std::int64_t first, std::int64_t count) {
  Block block;
  block.first = first;
  block.keys.setZero(count, c.problem.head_dim);
  block.values.setZero(count, c.problem.head_dim_v);
  block.dead.assign(static_cast<std::size_t>(count), 0);
  for (std::int64_t t = 0; t < count; ++t) {
    if (read_token(c, g, first + t, block, t)) continue;
    block.dead[static_cast<std::size_t>(t)] = 1;
    block.keys.row(t).setZero();
    block.values.row(t).setZero();
  }
  block.values *= c.out_scale;
  return block;
}

Weights weigh(const Context& c, const Group& g, const Block& block) {
  Weights weights;
  weights.scores.noalias() = g.q * block.keys.transpose();
  weights.scores *= c.score_scale;
  weights.p.resize(weights.scores.rows(), weights.scores.cols());
  for (Eigen::Index l = 0; l < g.lines(); ++l) {
    for (Eigen::Index t = 0; t < block.count(); ++t) {
      const bool alive = block.dead[static_cast<std::size_t>(t)] == 0;
      weights.p(l, t) = alive ? std::exp(weights.scores(l, t) - g.lse[l]) : 0.0;
    }
  }
  return weights;
}

std::int64_t first_token(const Context& c, const Sequence& s) {
  const std::int64_t before_window = std::max<std::int64_t>(0, s.first_seen - 1);
  return before_window / c.page_tokens * c.page_tokens;
}

}  // namespace xqacheck::reference::filters
