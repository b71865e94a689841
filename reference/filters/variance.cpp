#include "reference/filters/variance.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "reference/filters/edits.hpp"
#include "reference/filters/output_grid.hpp"
#include "reference/filters/row_noise.hpp"
#include "reference/filters/scenario_grid.hpp"
#include "reference/filters/weight_replay.hpp"

namespace xqacheck::reference::filters {
namespace {

struct Sums {
  // Variance of independent errors, for a grid at random in every row: its mean and variance over the alignments, and
  // its largest value; and for the alignments of the scenarios.
  double mean = 0, spread = 0, most = 0;
  std::array<double, kScenarios> scenarios{};
  double rows = 0;            // rows in these sums
  double replayed = 0;        // the same, from the random shifts of each row
  std::vector<double> total;  // replays added over all rows: large when rows err alike
  // Sum of x * mean rounding of the output under each scenario, for each of grid_means.
  std::array<std::array<double, kScenarios>, kGridMeans> grid{};
};

// What one task contributes to one suspect.
struct Part {
  Tally tally;
  Sums sums[kAlongs];
  double query = 0;                                    // variance by the slack of q
  double bias = 0;                                     // sum |x| bias, x the filter
  std::array<double, kGridMeans> grid{};               // sum of x * mean rounding of the output, for each of grid_means
  std::vector<std::pair<std::int64_t, double>> alike;  // rounding key and x * standard deviation of every element
};

void add(std::vector<double>& to, const double* from, std::size_t count) {
  to.resize(std::max(to.size(), count), 0);
  for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
}

std::int64_t longest(const Context& c) {
  std::int64_t tokens = 0;
  for (const Sequence& s : c.sight.sequences()) tokens = std::max(tokens, s.length);
  return tokens;
}

class TaskVariance {
 public:
  TaskVariance(const Context& c, const Group& g, const std::vector<Suspect>& suspects,
               const std::vector<double>& sensitivity)
      : c_(c),
        g_(g),
        format_(format_of(c.problem.out.dtype)),
        path_(output_path(c)),
        parts_(suspects.size()),
        shifts_(shifts_for(longest(c))) {
    for (const Suspect& s : suspects) changes_.push_back(change_of(c, s, g, sensitivity));
  }

  std::vector<Part> run() {
    const auto nothing = [](const Matrix& m) { return m.isZero(0); };
    if (std::all_of(changes_.begin(), changes_.end(), nothing)) return std::move(parts_);
    // The whole cache of the task: 8 bytes * (head_dim + head_dim_v) a token, only while a suspect is being judged.
    const std::int64_t first = first_token(c_, *g_.sequence);
    block_ = read_block(c_, g_, first, g_.sequence->length - first);
    weights_ = weigh(c_, g_, block_);
    for (Eigen::Index l = 0; l < g_.lines(); ++l) {
      if (std::isfinite(g_.lse[l])) add_line(l);
    }
    return std::move(parts_);
  }

 private:
  void add_line(Eigen::Index l) {
    const auto changes_line = [&](const Matrix& m) { return !m.row(l).isZero(0); };
    if (std::none_of(changes_.begin(), changes_.end(), changes_line)) return;
    const RowNoise noise = row_noise(c_, g_, l, block_, weights_, shifts_);
    if (noise.seen.empty()) return;
    const Whitener whitener(noise, g_.w.row(l));
    const Vector before = first_rounding(l);
    const Matrix grid = c_.aligned() ? Matrix() : scenario_grid(c_, g_, l, noise, before);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (!changes_line(changes_[k])) continue;
      const Eigen::RowVectorXd change = changes_[k].row(l), x = whitener.filter(change);
      Part& part = parts_[k];
      part.tally.add(x.dot(g_.e.row(l)), x.dot(change));
      const Vector plain = noise.values * x.transpose();
      const Vector centred = plain.array() - x.dot(g_.o.row(l));
      add_weights(part.sums[kCentred], centred, noise);
      add_weights(part.sums[kPlain], plain, noise);
      add_query(part, l, noise, centred);
      add_elements(part, l, noise, before, x);
      if (c_.aligned()) continue;
      const Vector moved = grid * x.transpose();
      for (Eigen::Index i = 0; i < moved.size(); ++i)
        part.sums[i / kScenarios % kAlongs]
            .grid[static_cast<std::size_t>(i / kScenarios / kAlongs)][static_cast<std::size_t>(i % kScenarios)] +=
            moved[i];
    }
  }

  static void add_weights(Sums& sums, const Vector& y, const RowNoise& noise) {
    const Vector square = y.cwiseAbs2();
    const double scored = noise.scored.dot(square) + of_factors(y, noise);
    const Vector aligned = noise.replay.variance.transpose() * square;
    const Eigen::Index shifts = aligned.size() - kScenarios;
    const double average = aligned.tail(shifts).mean();
    sums.mean += scored + average;
    sums.spread += (aligned.tail(shifts).array() - average).square().mean();
    sums.most += scored + aligned.maxCoeff();
    for (Eigen::Index j = 0; j < kScenarios; ++j) sums.scenarios[static_cast<std::size_t>(j)] += scored + aligned[j];
    const Vector moved = noise.replay.errors.transpose() * y;
    const double mean = moved.tail(shifts).mean();
    sums.rows += 1;
    sums.replayed += (moved.tail(shifts).array() - mean).square().sum() / static_cast<double>(shifts - 1);
    add(sums.total, moved.data(), static_cast<std::size_t>(moved.size()));
  }

  // P of a tile may be rescaled by a rounded factor: one error for all weights of the tile.
  static double of_factors(const Vector& y, const RowNoise& noise) {
    if (noise.factor == 0) return 0;
    double sum = 0, tile = 0;
    for (std::size_t t = 0; t < noise.tile.size(); ++t) {
      if (t > 0 && noise.tile[t] != noise.tile[t - 1]) sum += tile * tile, tile = 0;
      tile += noise.p[static_cast<Eigen::Index>(t)] * y[static_cast<Eigen::Index>(t)];
    }
    return noise.factor * (sum + tile * tile);
  }

  // q is rounded after rotation, the same error for all tokens: the scores move by (error of q) . k.
  void add_query(Part& part, Eigen::Index l, const RowNoise& noise, const Vector& centred) {
    const std::uint64_t place = g_.place[static_cast<std::size_t>(l)];
    if (!(c_.queries.slack[place] > 0)) return;
    Eigen::RowVectorXd pull = Eigen::RowVectorXd::Zero(block_.keys.cols());
    for (std::size_t i = 0; i < noise.seen.size(); ++i) {
      pull += weights_.p(l, noise.seen[i]) * centred[static_cast<Eigen::Index>(i)] * block_.keys.row(noise.seen[i]);
    }
    const double norm = std::max(c_.queries.norm[place], std::numeric_limits<double>::min());
    const double relative =
        c_.score_scale * c_.queries.slack[place] / norm;  // a channel's error is relative to its size
    part.query += relative * relative * pull.cwiseProduct(g_.q.row(l)).squaredNorm();
  }

  void add_elements(Part& part, Eigen::Index l, const RowNoise& noise, const Vector& before,
                    const Eigen::RowVectorXd& x) {
    const std::uint64_t first = g_.place[static_cast<std::size_t>(l)] * c_.problem.head_dim_v;
    const double kept = kept_by_tokens(c_, g_, l);
    const Eigen::RowVectorXd known = noise.variance.transpose() * noise.values.cwiseAbs2();
    for (Eigen::Index d = 0; d < x.size(); ++d) {
      if (x[d] == 0) continue;
      const std::uint64_t i = first + static_cast<std::uint64_t>(d);
      // Rounded to 16 bits before: one more uncertainty of the value that meets the grid.
      const double value = c_.golden.out[i] + (c_.aligned() ? c_.predicted[i] : 0), bias = c_.golden.bias[i];
      const double rest = bias - c_.golden.coherent[i], sigma = c_.golden.sigma[i];
      const double spread =
          std::sqrt((c_.aligned() ? noise.own[d] + known[d] + rest * rest : sigma * sigma + bias * bias) + before[d]);
      const GridError grid = grid_error(format_, value, spread);
      const std::array<double, kGridMeans> means = grid_means(path_, value, spread, kept);
      for (std::size_t m = 0; m < kGridMeans; ++m) part.grid[m] += x[d] * means[m];
      const double sign = value < 0 ? -1 : 1;
      part.alike.emplace_back(rounding_key(format_, value),
                              sign * x[d] * std::sqrt(noise.own[d] + before[d] + grid.variance));
      // The replays stand for the coherent rounding of P.
      part.bias += std::fabs(x[d]) * rest;
    }
  }

  // Variance of the 16-bit rounding that may come before the one to e4m3, of every channel.
  Vector first_rounding(Eigen::Index l) const {
    Vector before = Vector::Zero(g_.o.cols());
    if (c_.problem.out.dtype != XQACHECK_E4M3 || !c_.model.double_rounded_output) return before;
    const NumberFormat format = format_of(c_.problem.q.dtype);
    for (Eigen::Index d = 0; d < before.size(); ++d) {
      const double cell = spacing(format, g_.o(l, d));
      before[d] = cell * cell / 12;
    }
    return before;
  }

  const Context& c_;
  const Group& g_;
  const NumberFormat format_;
  const OutputPath path_;
  std::vector<Matrix> changes_;  // of each suspect, [lines][head_dim_v]
  std::vector<Part> parts_;
  Block block_;
  Weights weights_;
  int shifts_;
};

void add(Part& to, const Part& from) {
  to.tally += from.tally;
  for (int a = 0; a < kAlongs; ++a) {
    to.sums[a].mean += from.sums[a].mean;
    to.sums[a].spread += from.sums[a].spread;
    to.sums[a].most += from.sums[a].most;
    for (std::size_t j = 0; j < kScenarios; ++j) to.sums[a].scenarios[j] += from.sums[a].scenarios[j];
    to.sums[a].rows += from.sums[a].rows;
    to.sums[a].replayed += from.sums[a].replayed;
    for (std::size_t m = 0; m < kGridMeans; ++m) {
      for (std::size_t j = 0; j < kScenarios; ++j) to.sums[a].grid[m][j] += from.sums[a].grid[m][j];
    }
    add(to.sums[a].total, from.sums[a].total.data(), from.sums[a].total.size());
  }
  to.query += from.query;
  to.bias += from.bias;
  for (std::size_t m = 0; m < kGridMeans; ++m) to.grid[m] += from.grid[m];
  to.alike.insert(to.alike.end(), from.alike.begin(), from.alike.end());
}

// A variance V for which P(|a| > z sqrt(V)) <= 2 exp(-z^2 / 2) although the conditional variance depends on the
// alignments of the rows, which are independent: from E exp(l a) <= E exp(l^2 v / 2) with the first two cumulants of v
// and l = z / sqrt(V). The levels are near 6 to 7; a larger z only makes V larger.
double model_variance(const Sums& sums) {
  constexpr double kLevel = 7;
  const double of_shifts = (sums.mean + std::sqrt(sums.mean * sums.mean + kLevel * kLevel * sums.spread)) / 2;
  const double of_scenarios = *std::max_element(sums.scenarios.begin(), sums.scenarios.end());
  return std::min(sums.most, std::max(of_shifts, of_scenarios));
}

// A variance estimated with so many degrees of freedom counts as larger than the model's from this ratio on: 2.5
// standard deviations of the estimate. Smaller excesses are chance as a rule, and their largest effect, a level of 6
// that is really 4.8 with 31 degrees, is far from an alarm a run.
double beyond_chance(double degrees) {
  return 1 + 2.5 * std::sqrt(2 / degrees);
}

// Kernels that follow a scenario in most tiles, not in all: half of the standard deviation of the weights is left.
constexpr double kScenarioRest = 0.25;

Expected conclude(const Context& c, const Part& part) {
  Expected expected;
  expected.tally = part.tally;
  double others = part.query;
  others += squared_sums(part.alike);
  double low = 0, high = 0;
  for (const double grid : part.grid) low = std::min(low, grid), high = std::max(high, grid);
  low -= part.bias, high += part.bias;
  for (int a = 0; a < kAlongs; ++a) {
    // Errors of scores always move along v - o, so the centred sum counts in either case.
    const Sums& sums = part.sums[a];
    if ((a == kPlain && !c.model.sum_of_unrounded) || sums.total.empty()) continue;
    const auto shifts = static_cast<double>(sums.total.size() - kScenarios);
    double mean = 0, spread = 0;
    for (std::size_t j = kScenarios; j < sums.total.size(); ++j) mean += sums.total[j] / shifts;
    for (std::size_t j = kScenarios; j < sums.total.size(); ++j) {
      spread += (sums.total[j] - mean) * (sums.total[j] - mean) / (shifts - 1);
    }
    double weights = model_variance(sums);
    if (sums.replayed > beyond_chance(sums.rows * (shifts - 1)) * weights) weights = sums.replayed;
    if (spread > beyond_chance(shifts - 1) * weights) weights = spread;
    expected.hypotheses.push_back({low + std::min(0.0, mean), high + std::max(0.0, mean), others + weights});
    if (c.aligned()) continue;
    for (std::size_t j = 0; j < kScenarios; ++j) {
      // The output rounding is a known number only as far as the scenario is followed.
      double least = low, most = high;
      for (const auto& grid : sums.grid) {
        least = std::min(least, grid[j] - part.bias), most = std::max(most, grid[j] + part.bias);
      }
      expected.hypotheses.push_back({least + sums.total[j], most + sums.total[j], others + kScenarioRest * weights});
    }
  }
  return expected;
}

}  // namespace

std::vector<Expected> expected_of(const Context& c, const std::vector<Suspect>& suspects,
                                  const std::vector<double>& sensitivity, int threads) {
  const int workers = threads > 0 ? threads : omp_get_max_threads();
  std::vector<std::vector<Part>> tasks(c.tasks());
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(workers)
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    try {
      const Group group = make_group(c, t);
      tasks[t] = TaskVariance(c, group, suspects, sensitivity).run();
    } catch (...) {
#pragma omp critical(xqacheck_filters)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  std::vector<Part> sums(suspects.size());
  for (const auto& task : tasks) {
    for (std::size_t k = 0; k < task.size(); ++k) add(sums[k], task[k]);
  }
  std::vector<Expected> expected;
  for (const Part& part : sums) expected.push_back(conclude(c, part));
  return expected;
}

}  // namespace xqacheck::reference::filters
