#include "reference/filters/weight_replay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {
namespace {

constexpr int kMostRoundings = 3;  // see RoundingModel::p_roundings

// Rows with the same weights may share the alignment of their grids, others do not: the first shift of a row is a
// function of its heaviest weights. 1e-6 is far below any rounding cell and far above the rounding of the scores here.
double start_of(const Vector& scores, double row_max) {
  constexpr std::size_t kLooked = 16;
  constexpr double kStep = 1e-6;
  std::vector<double> below(scores.size());
  for (Eigen::Index t = 0; t < scores.size(); ++t) below[static_cast<std::size_t>(t)] = row_max - scores[t];
  const std::size_t looked = std::min(kLooked, below.size());
  std::partial_sort(below.begin(), below.begin() + static_cast<std::ptrdiff_t>(looked), below.end());
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < looked; ++i) {
    hash = (hash ^ static_cast<std::uint64_t>(std::min(below[i] / kStep + 0.5, 1e15))) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

// Shift j of rounding k, in binades: multiples of two irrational numbers spread evenly over [0, 1) for any count.
double shift(double start, int replay, int rounding) {
  const double x = start + replay * 0.6180339887498949 + rounding * (replay + 1) * 0.7548776662466927;
  return x - std::floor(x);
}

}  // namespace

int replays_for(std::int64_t tokens) {
  constexpr std::int64_t kRoundings = 1 << 16;      // of one row: some milliseconds
  constexpr std::int64_t kFewest = 16, kMost = 64;  // 16 samples know a spread to 18 %, 64 to 9 %
  return static_cast<int>(std::clamp(kRoundings / std::max<std::int64_t>(tokens, 1), kFewest, kMost));
}

Replay replay_weights(const Context& c, const Vector& scores, double row_max, double lse, int replays) {
  const NumberFormat format = format_of(c.p_dtype);
  const int roundings = std::min(c.model.p_roundings, kMostRoundings);
  Replay replay{Matrix(scores.size(), replays), Matrix::Zero(scores.size(), replays)};
  const double share = std::exp(row_max - lse), start = start_of(scores, row_max);
  std::vector<std::array<double, kMostRoundings>> factors(static_cast<std::size_t>(replays));
  for (int j = 0; j < replays; ++j) {
    for (int k = 0; k < roundings; ++k) {
      factors[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)] = c.p_scale * std::exp2(-shift(start, j, k));
    }
  }
  for (Eigen::Index t = 0; t < scores.size(); ++t) {
    const double e = std::exp(scores[t] - row_max);
    for (int j = 0; j < replays; ++j) {
      double p = e;
      for (int k = 0; k < roundings; ++k) {
        const double factor = factors[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
        const double cell = spacing(format, p * factor) / factor * share;
        replay.variance(t, j) += cell * cell / 12;
        p = rounded(format, p * factor) / factor;
      }
      replay.errors(t, j) = (p - e) * share;
    }
  }
  return replay;
}

}  // namespace xqacheck::reference::filters
