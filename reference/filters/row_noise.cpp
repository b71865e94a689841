#include "reference/filters/row_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "reference/golden/contract.hpp"
#include "reference/golden/weigh.hpp"

namespace xqacheck::reference::filters {
namespace {

// The covariance of a row has at most head_dim_v directions; the heaviest tokens make up what differs from equal noise
// in all of them. More would cost time with the square and gain nothing: the rest adds up to nearly independent
// channels.
constexpr std::size_t kHeavyTokens = 128;

// Variance of the weight of every token, largest weight 1, by the golden model's own rule.
Vector spread_of(const WeightModel& model, const Vector& scores, const Vector& k_norm, const Vector& k_gap) {
  Vector spread(scores.size());
  std::array<double, kBlockTokens> e, rest, tile;
  for (Eigen::Index first = 0; first < scores.size(); first += kBlockTokens) {
    const std::size_t count = std::min<std::size_t>(kBlockTokens, static_cast<std::size_t>(scores.size() - first));
    weigh_tile(model, scores.data() + first, k_norm.data() + first, k_gap.data() + first, count, e.data(), rest.data(),
               tile.data());
    std::copy_n(tile.begin(), count, spread.data() + first);
  }
  return spread;
}

}  // namespace

RowNoise row_noise(const Context& c, const Group& g, Eigen::Index l, const Block& block, const Weights& weights,
                   int shifts) {
  RowNoise noise;
  double row_max = -std::numeric_limits<double>::infinity(), row_size = 0;
  for (Eigen::Index t = 0; t < block.count(); ++t) {
    if (block.dead[static_cast<std::size_t>(t)] != 0 || !c.sight.sees(*g.sequence, g.draft(l), block.first + t))
      continue;
    noise.seen.push_back(t);
    row_max = std::max(row_max, weights.scores(l, t));
    row_size = std::max(row_size, std::fabs(weights.scores(l, t)));
  }
  if (noise.seen.empty()) return noise;
  const auto count = static_cast<Eigen::Index>(noise.seen.size());
  const std::uint64_t place = g.place[static_cast<std::size_t>(l)];
  noise.scores.resize(count);
  noise.values.resize(count, block.values.cols());
  noise.p.resize(count);
  Vector k_norm(count), k_gap(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index t = noise.seen[static_cast<std::size_t>(i)];
    noise.scores[i] = weights.scores(l, t);
    noise.p[i] = weights.p(l, t);
    noise.tile.push_back((block.first + t) / c.model.tile_tokens);
    noise.values.row(i) = block.values.row(t);
    k_norm[i] = block.keys.row(t).norm();
    k_gap[i] = c.reader.k_gap(*g.sequence, g.kv_head, block.first + t);
  }
  WeightModel scored =
      weight_model(c.model, c.score_scale, c.problem.head_dim, c.queries.norm[place], c.queries.slack[place], row_max,
                   row_size, k_norm.maxCoeff(), count);  // as if P were not rounded
  scored.p_variance = scored.p_floor = scored.p_smallest = 0;
  const double share = std::exp(row_max - g.lse[l]);
  // Copies of a token have one error of their scores.
  noise.scored = c.golden.copies[place] * share * share * spread_of(scored, noise.scores, k_norm, k_gap);
  if (c.model.p_roundings > 1) noise.factor = c.model.p_unit * c.model.p_unit / 3;
  std::vector<std::int64_t> tokens;
  for (const Eigen::Index t : noise.seen) tokens.push_back(block.first + t);
  noise.replay = replay_weights(c, tokens, noise.scores, row_max, g.lse[l], shifts);
  if (c.aligned()) {
    // The scenario is out of the evidence; what is left of the rounding has its statistics.
    noise.replay.errors *= std::sqrt(c.p_left[place]);
    noise.replay.variance *= c.p_left[place];
    noise.replay.errors.leftCols(kScenarios).setZero();
  }
  noise.variance =
      noise.scored + noise.replay.variance.rightCols(shifts > 0 ? shifts : Eigen::Index{kScenarios}).rowwise().mean();
  noise.own.setZero(block.values.cols());
  noise.grid.setZero(block.values.cols());
  for (Eigen::Index d = 0; d < noise.own.size(); ++d) {
    const std::uint64_t i = place * c.problem.head_dim_v + static_cast<std::uint64_t>(d);
    if (c.evidence.weight[i] == 0) continue;
    noise.own[d] = c.golden.own[i];
    noise.grid[d] = c.evidence.grid_variance[i];
  }
  return noise;
}

Whitener::Whitener(const RowNoise& noise, const Eigen::RowVectorXd& judged) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(noise.variance.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const std::size_t heavy = std::min(order.size(), kHeavyTokens);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(heavy), order.end(),
                    [&](Eigen::Index a, Eigen::Index b) {
                      return noise.variance[a] != noise.variance[b] ? noise.variance[a] > noise.variance[b] : a < b;
                    });
  heavy_.resize(static_cast<Eigen::Index>(heavy), noise.values.cols());
  Eigen::RowVectorXd rest = noise.variance.transpose() * noise.values.cwiseAbs2();
  for (std::size_t i = 0; i < heavy; ++i) {
    heavy_.row(static_cast<Eigen::Index>(i)) = std::sqrt(noise.variance[order[i]]) * noise.values.row(order[i]);
    rest -= heavy_.row(static_cast<Eigen::Index>(i)).cwiseAbs2();
  }
  inverse_own_.setZero(noise.own.size());
  for (Eigen::Index d = 0; d < noise.own.size(); ++d) {
    if (judged[d] != 0) inverse_own_[d] = 1 / (noise.own[d] + noise.grid[d] + std::max(0.0, rest[d]));
  }
  Eigen::MatrixXd inner = heavy_ * inverse_own_.asDiagonal() * heavy_.transpose();
  inner.diagonal().array() += 1;
  inner_.compute(inner);
}

Eigen::RowVectorXd Whitener::filter(const Eigen::RowVectorXd& change) const {
  const Eigen::RowVectorXd direct = change.cwiseProduct(inverse_own_.transpose());
  const Vector shared = inner_.solve(heavy_ * direct.transpose());
  return direct - (shared.transpose() * heavy_).cwiseProduct(inverse_own_.transpose());
}

}  // namespace xqacheck::reference::filters
