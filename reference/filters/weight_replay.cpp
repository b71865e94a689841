#include "reference/filters/weight_replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {
namespace {

constexpr int kMostRoundings = 3;  // see RoundingModel::p_roundings

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdu;  // the multiplier of MurmurHash3's finaliser
  return hash ^ hash >> 32;
}

// Rows with the same weights may share the alignment of their grids, others do not: the shifts of a row are a function
// of its heaviest weights. 1e-6 is far below any rounding cell and far above the rounding of the scores here.
std::uint64_t seed_of(const Vector& scores, double row_max) {
  constexpr std::size_t kLooked = 16;
  constexpr double kStep = 1e-6;
  std::vector<double> below(static_cast<std::size_t>(scores.size()));
  for (Eigen::Index t = 0; t < scores.size(); ++t) below[static_cast<std::size_t>(t)] = row_max - scores[t];
  const std::size_t looked = std::min(kLooked, below.size());
  std::partial_sort(below.begin(), below.begin() + static_cast<std::ptrdiff_t>(looked), below.end());
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < looked; ++i) {
    hash = mixed(hash, static_cast<std::uint64_t>(std::min(below[i] / kStep + 0.5, 1e15)));
  }
  return hash;
}

// Shift j of rounding k, in binades, uniform over [0, 1).
double shift(std::uint64_t seed, int replay, int rounding) {
  const auto place = static_cast<std::uint64_t>(replay * kMostRoundings + rounding + 1);
  return static_cast<double>(mixed(mixed(seed, place), place * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

// The maximum that each token's weight is relative to, by scenario.
std::vector<std::array<double, kScenarios>> scenario_maxima(const Context& c, const std::vector<std::int64_t>& tokens,
                                                            const Vector& scores, double row_max) {
  std::vector<std::array<double, kScenarios>> maxima(tokens.size());
  const std::int64_t tile_tokens = c.model.tile_tokens, tiles = tokens.back() / tile_tokens + 1;
  const auto splits = static_cast<std::int64_t>(std::max(c.splits, 1u));
  const double nothing = -std::numeric_limits<double>::infinity();
  double running = nothing;
  std::vector<double> down(static_cast<std::size_t>(splits), nothing), up = down, turn = down;
  for (std::size_t first = 0, last = 0; first < tokens.size(); first = last) {
    double own = -std::numeric_limits<double>::infinity();
    for (last = first;
         last < tokens.size() && tokens[last] / c.model.tile_tokens == tokens[first] / c.model.tile_tokens; ++last) {
      own = std::max(own, scores[static_cast<Eigen::Index>(last)]);
    }
    running = std::max(running, own);
    // Sub-sequence s holds tiles [tiles s / splits, tiles (s + 1) / splits), or as many as the others rounded up.
    const std::int64_t tile = tokens[first] / tile_tokens, each = (tiles + splits - 1) / splits;
    double& in_down = down[static_cast<std::size_t>(((tile + 1) * splits - 1) / tiles)];
    double& in_up = up[static_cast<std::size_t>(tile / each)];
    double& in_turn = turn[static_cast<std::size_t>(tile % splits)];
    for (double* maximum : {&in_down, &in_up, &in_turn}) *maximum = std::max(*maximum, own);
    for (std::size_t t = first; t < last; ++t) maxima[t] = {row_max, own, running, in_down, in_up, in_turn};
  }
  return maxima;
}

}  // namespace

int shifts_for(std::int64_t tokens) {
  constexpr std::int64_t kRoundings = 1 << 17;      // of one row: some milliseconds
  constexpr std::int64_t kFewest = 32, kMost = 64;  // 32 samples know a spread to 13 %, 64 to 9 %
  return static_cast<int>(std::clamp(kRoundings / std::max<std::int64_t>(tokens, 1), kFewest, kMost));
}

Replay replay_weights(const Context& c, const std::vector<std::int64_t>& tokens, const Vector& scores, double row_max,
                      double lse, int shifts) {
  const NumberFormat format = format_of(c.p_dtype);
  const int roundings = std::min(c.model.p_roundings, kMostRoundings);
  Replay replay{Matrix(scores.size(), kScenarios + shifts), Matrix::Zero(scores.size(), kScenarios + shifts)};
  const double share = std::exp(row_max - lse);
  const std::uint64_t seed = seed_of(scores, row_max);
  // Rounds weight e after multiplying it by `factor`; adds what the rounding may cost.
  const auto round_once = [&](double e, double factor, double& variance) {
    const double cell = spacing(format, e * factor) / factor * share;
    variance += cell * cell / 12;
    return rounded(format, e * factor) / factor;
  };
  std::vector<std::array<double, kMostRoundings>> factors(static_cast<std::size_t>(shifts));
  for (int j = 0; j < shifts; ++j) {
    for (int k = 0; k < roundings; ++k) {
      factors[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)] = c.p_scale * std::exp2(-shift(seed, j, k));
    }
  }
  const std::vector<std::array<double, kScenarios>> maxima = scenario_maxima(c, tokens, scores, row_max);
  for (Eigen::Index t = 0; t < scores.size(); ++t) {
    const double e = std::exp(scores[t] - row_max);
    for (int j = 0; j < kScenarios; ++j) {
      const double maximum = maxima[static_cast<std::size_t>(t)][static_cast<std::size_t>(j)];
      const double p = round_once(e, c.p_scale * std::exp(row_max - maximum), replay.variance(t, j));
      replay.errors(t, j) = (p - e) * share;
    }
    for (int j = 0; j < shifts; ++j) {
      double p = e;
      for (int k = 0; k < roundings; ++k) {
        p = round_once(p, factors[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)],
                       replay.variance(t, kScenarios + j));
      }
      replay.errors(t, kScenarios + j) = (p - e) * share;
    }
  }
  return replay;
}

}  // namespace xqacheck::reference::filters
