#include "reference/filters/alignment.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <utility>

#include "reference/filters/row_noise.hpp"
#include "reference/filters/scenario_grid.hpp"
#include "reference/filters/weight_replay.hpp"

namespace xqacheck::reference::filters {
namespace {

constexpr Eigen::Index kHypotheses = Eigen::Index{kAlongs} * kScenarios;

// An error that has nothing to do with a scenario has a covariance with its prediction that is sub-Gaussian around the
// mean over the random shifts: beyond 8 standard deviations with probability 2.5e-14, and beyond 6.2, were the standard
// deviation, known from 32 shifts at least, 30 % too small, with 1e-8: a hundredth of what a run may spend.
constexpr double kBeyondDoubt = 8;

// Of the variance of P's rounding a scenario must leave at most this: else taking it out gains nothing.
constexpr double kMostLeft = 0.5;

// Tokens that do not follow the scenario are off by their own error less the predicted one: that is in the share which
// is measured. They may sit where a filter looks harder than on average: twice the share is allowed for.
constexpr double kAllowance = 2;

// Share of the variance that counts as left at least: weights near the border of two cells fall on the other side when
// the kernel's score is a little off, and a row has few of them.
constexpr double kLeastLeft = 1.0 / 64;

// Half spacings from which on the rounding of P can be most of an error: bf16 has 2^-8. What finer formats add is lost
// in 16-bit outputs.
constexpr double kCoarse = 0x1p-9;

// The metric is that of a correct kernel's errors: x y = x C^-1 y.
struct RowFit {
  Vector residual;    // (error - predicted)^2 under each hypothesis
  Vector fit;         // error * predicted
  Matrix chance;      // the same for every random shift instead of the error: [kHypotheses][shifts]
  double energy = 0;  // (rounding of P)^2, averaged over random shifts
  std::uint64_t place = 0;
};

// Rounding errors of replays as changes of the output, [replays][head_dim_v].
Matrix moved(const Eigen::Ref<const Matrix>& errors, const RowNoise& noise, const Eigen::RowVectorXd& out,
             Along along) {
  Matrix change = errors.transpose() * noise.values;
  if (along == kCentred) change -= errors.colwise().sum().transpose() * out;
  return change;
}

RowFit fit_row(const Context& c, const Group& g, Eigen::Index l, const RowNoise& noise, int shifts) {
  RowFit row{Vector::Constant(kHypotheses, std::numeric_limits<double>::infinity()), Vector::Zero(kHypotheses),
             Matrix::Zero(kHypotheses, shifts), 0, g.place[static_cast<std::size_t>(l)]};
  const Whitener whitener(noise, g.w.row(l));
  const Matrix plain = moved(noise.replay.errors, noise, g.o.row(l), kPlain);
  const Vector sums = noise.replay.errors.colwise().sum();
  for (const Along along : {kCentred, kPlain}) {
    if (!(along == kCentred ? c.model.sum_of_rounded : c.model.sum_of_unrounded)) continue;
    Matrix change = plain;
    if (along == kCentred) change -= sums * g.o.row(l);
    double energy = 0;
    constexpr Eigen::Index kSamples = 4;  // the energy of a row is a sum over many tokens
    for (Eigen::Index k = kScenarios; k < kScenarios + kSamples; ++k) {
      energy += change.row(k).dot(whitener.filter(change.row(k))) / kSamples;
    }
    row.energy = std::max(row.energy, energy);
    for (Eigen::Index j = 0; j < kScenarios; ++j) {
      const Eigen::Index h = along * Eigen::Index{kScenarios} + j;
      const Eigen::RowVectorXd predicted = change.row(j), x = whitener.filter(predicted);
      const Eigen::RowVectorXd rest =
          g.e.row(l) - predicted.cwiseProduct((g.w.row(l).array() > 0).cast<double>().matrix());
      row.residual[h] = rest.dot(whitener.filter(rest));
      row.fit[h] = x.dot(g.e.row(l));
      row.chance.row(h) = (change.bottomRows(shifts) * x.transpose()).transpose();
    }
  }
  return row;
}

// Runs `work` on the noise of every row that is judged.
using Work = std::function<void(const Group&, Eigen::Index, const RowNoise&, std::size_t task)>;
void for_rows(const Context& c, int shifts, int threads, const Work& work) {
  const int workers = threads > 0 ? threads : omp_get_max_threads();
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(workers)
  for (std::size_t task = 0; task < c.tasks(); ++task) {
    try {
      const Group g = make_group(c, task);
      if (g.w.isZero(0)) continue;
      const std::int64_t first = first_token(c, *g.sequence);
      const Block block = read_block(c, g, first, g.sequence->length - first);
      const Weights weights = weigh(c, g, block);
      for (Eigen::Index l = 0; l < g.lines(); ++l) {
        if (!std::isfinite(g.lse[l]) || g.w.row(l).isZero(0)) continue;
        const RowNoise noise = row_noise(c, g, l, block, weights, shifts);
        if (!noise.seen.empty()) work(g, l, noise, task);
      }
    } catch (...) {
#pragma omp critical(xqacheck_filters)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

struct Choice {
  Eigen::Index hypothesis = -1;
  double share = 1;
};

Choice choose(const std::vector<std::vector<RowFit>>& tasks, int shifts) {
  Vector residual = Vector::Zero(kHypotheses), fit = residual;
  Matrix chance = Matrix::Zero(kHypotheses, shifts);
  double energy = 0;
  for (const auto& task : tasks) {
    for (const RowFit& row : task) {
      residual += row.residual, fit += row.fit, chance += row.chance, energy += row.energy;
    }
  }
  Choice best;
  for (Eigen::Index h = 0; h < kHypotheses; ++h) {
    const double share = residual[h] / energy, mean = chance.row(h).mean();
    const double spread = std::sqrt((chance.row(h).array() - mean).square().sum() / (shifts - 1));
    if (!(share < kMostLeft) || !(share < best.share) || !(fit[h] > std::max(mean, 0.0) + kBeyondDoubt * spread))
      continue;
    best = {h, share};
  }
  return best;
}

}  // namespace

std::optional<Alignment> find_alignment(const Context& c, int threads) {
  if (c.model.p_unit < kCoarse) return std::nullopt;
  std::int64_t longest = 0;
  for (const Sequence& s : c.sight.sequences()) longest = std::max(longest, s.length);
  const int shifts = shifts_for(longest);
  std::vector<std::vector<RowFit>> fits(c.tasks());
  for_rows(c, shifts, threads, [&](const Group& g, Eigen::Index l, const RowNoise& noise, std::size_t task) {
    fits[task].push_back(fit_row(c, g, l, noise, shifts));
  });
  const Choice choice = choose(fits, shifts);
  if (choice.hypothesis < 0) return std::nullopt;
  Alignment a;
  a.share = choice.share;
  a.predicted.assign(c.golden.out.size(), 0);
  a.weight.assign(c.golden.out.size(), 0);
  a.p_left.assign(c.golden.lse.size(), 1);
  for (const auto& task : fits) {
    for (const RowFit& row : task) {
      const double own = row.energy > 0 ? row.residual[choice.hypothesis] / row.energy : 1;
      a.p_left[row.place] = std::clamp(kAllowance * std::max(own, choice.share), kLeastLeft, 2.0);
    }
  }
  const auto along = static_cast<Along>(choice.hypothesis / kScenarios);
  for_rows(c, 0, threads, [&](const Group& g, Eigen::Index l, const RowNoise& noise, std::size_t) {
    const std::uint64_t place = g.place[static_cast<std::size_t>(l)];
    const Eigen::RowVectorXd change =
        moved(noise.replay.errors.col(choice.hypothesis % kScenarios), noise, g.o.row(l), along).row(0);
    const Vector variance = noise.scored + a.p_left[place] * noise.replay.variance.col(choice.hypothesis % kScenarios);
    const Eigen::RowVectorXd of_weights = variance.transpose() * noise.values.cwiseAbs2();
    for (Eigen::Index d = 0; d < change.size(); ++d) {
      const std::uint64_t i = place * c.problem.head_dim_v + static_cast<std::uint64_t>(d);
      if (c.evidence.weight[i] == 0) continue;
      a.predicted[i] = change[d];
      a.weight[i] = 1 / (of_weights[d] + noise.own[d] + noise.grid[d]);
    }
  });
  return a;
}

void adopt(Context& c, Alignment alignment) {
  for (std::size_t i = 0; i < c.evidence.error.size(); ++i) c.evidence.error[i] -= alignment.predicted[i];
  c.evidence.weight = std::move(alignment.weight);
  c.predicted = std::move(alignment.predicted);
  c.p_left = std::move(alignment.p_left);
}

}  // namespace xqacheck::reference::filters
