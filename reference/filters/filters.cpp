#include "reference/filters/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reference/filters/alignment.hpp"
#include "reference/filters/variance.hpp"
#include "reference/golden/element.hpp"

namespace xqacheck::reference::filters {
namespace {

// Of each kind of suspect, this many of the most striking are judged with the full model. A correct kernel rarely has
// any; of a wrong one the first says it all, and its neighbours come with it.
constexpr std::size_t kJudgedPerFault = 3;

// The screen knows the variance of independent elements. A suspect whose full variance is smaller would be missed below
// this share of the alarm level; a lower share costs time, a higher one power. Of places there are thousands.
constexpr double kScreenShare = 0.5, kScreenShareOfPlaces = 0.8;

// A fault that is there or not is there only in full: with strength A the likelihood ratio of "there" to "not there" is
// exp(n (A - 1/2) / variance), so below one half the evidence is against it, however far from 0 it is.
constexpr double kLeastStrength = 0.5;

// Of memory for each thread while a suspect is judged: 700,000 tokens of dim 128.
constexpr double kMostBytes = 2.0 * 0x1p30;

std::vector<Suspect> striking(const Context& c, const Screen& screen, const FilterReport& report) {
  std::vector<Scored> all = list_suspects(c, screen, kScreenShare * report.scale_level);
  std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) {
    return std::fabs(a.tally.sigmas()) > std::fabs(b.tally.sigmas());
  });
  std::map<Fault, std::size_t> taken;
  std::vector<Suspect> chosen;
  for (const Scored& s : all) {
    const bool place = family_of(s.suspect) == Family::place;
    if (place && std::fabs(s.tally.sigmas()) < kScreenShareOfPlaces * report.scale_level) continue;
    if (taken[s.suspect.fault]++ < kJudgedPerFault) chosen.push_back(s.suspect);
  }
  return chosen;
}

// What judging one KV head of the longest request takes: K, V and a copy of V for the row at hand.
double bytes_to_judge(const Context& c) {
  double tokens = 0;
  for (const Sequence& s : c.sight.sequences()) tokens = std::max(tokens, static_cast<double>(s.length - s.first_seen));
  return 8 * tokens * (c.problem.head_dim + 2.0 * c.problem.head_dim_v);
}

// Sum of weight * bias^2. Where the value is known within a cell of the output grid, the rounding to it is a bias.
double squared_bias(const Context& c) {
  const NumberFormat format = format_of(c.problem.out.dtype);
  double sum = 0;
  for (std::size_t i = 0; i < c.golden.out.size(); ++i) {
    if (c.evidence.weight[i] == 0) continue;
    const double spread = std::hypot(c.golden.sigma[i], c.golden.bias[i]);
    const bool known = spread < spacing(format, c.golden.out[i]);
    const double mean = known ? rounded(format, c.golden.out[i]) - c.golden.out[i] : 0;
    const double bias = c.golden.bias[i] + std::fabs(mean);
    sum += c.evidence.weight[i] * bias * bias;
  }
  return sum;
}

// Mean of weight * error^2 that independent, sub-Gaussian and arbitrarily correlated errors of the declared size stay
// below with probability 1 - rate: the tail bound of Hsu, Kakade and Zhang (2012) for quadratic forms, with the trace
// of each (row, head) as the largest its correlations can be, and of all with equal results together; after adding what
// the bias can do.
void judge_noise(const Context& c, double rate, FilterReport& report) {
  const std::size_t dim = c.golden.dim_v;
  double sum = 0, trace = 0;
  std::map<std::vector<double>, double> rows;  // judged elements of (row, head) by golden result
  for (std::size_t row = 0; row < c.golden.lse.size(); ++row) {
    double judged = 0;
    for (std::size_t i = row * dim; i < (row + 1) * dim; ++i) {
      sum += c.evidence.weight[i] * c.evidence.error[i] * c.evidence.error[i];
      judged += c.evidence.weight[i] > 0 ? 1 : 0;
    }
    trace += judged;
    const auto at = c.golden.out.begin() + static_cast<std::ptrdiff_t>(row * dim);
    if (judged > 0) rows[std::vector<double>(at, at + static_cast<std::ptrdiff_t>(dim))] += judged;
  }
  if (trace == 0) return;
  double squares = 0, largest = 0;
  for (const auto& [result, judged] : rows) squares += judged * judged, largest = std::max(largest, judged);
  const double t = -std::log(rate);
  const double spread = trace + 2 * std::sqrt(squares * t) + 2 * largest * t;
  report.noise = sum / trace;
  const auto level = [&](double bias) { return std::pow(std::sqrt(spread) + std::sqrt(bias), 2) / trace; };
  report.noise_level = level(0);
  if (report.noise < report.noise_level) return;  // the rest takes time
  report.noise_level = level(squared_bias(c));
  if (report.noise > report.noise_level) {
    report.alarms.push_back({Suspect{.fault = Fault::noise}, std::sqrt(report.noise),
                             report.run_level * report.noise / report.noise_level});
  }
}

}  // namespace

Family family_of(const Suspect& suspect) {
  switch (suspect.fault) {
    case Fault::softmax_scale:
    case Fault::output_scale:
      return Family::scale;
    case Fault::length_short:
    case Fault::length_long:
    case Fault::window_narrow:
    case Fault::window_wide:
    case Fault::mask_full:
    case Fault::mask_causal:
    case Fault::noise:
      return Family::run;
    case Fault::sink_ignored:
      return suspect.heads == Heads::one ? Family::place : Family::run;
    default:
      return Family::place;
  }
}

double FilterReport::level_of(const Suspect& suspect) const {
  const Family family = family_of(suspect);
  return family == Family::scale ? scale_level : family == Family::run ? run_level : place_level;
}

double alarm_level(std::uint64_t suspects, double rate) {
  // Roundings are bounded and symmetric, so a statistic is sub-Gaussian with its own variance: P(|a| > z sd) <= 2
  // exp(-z^2/2).
  return std::sqrt(2 * std::log(2 * static_cast<double>(std::max<std::uint64_t>(suspects, 1)) / rate));
}

FilterReport judge(Context& c, Screen& screen, const FilterOptions& options) {
  FilterReport report;
  const double quarter = options.false_alarm_rate / 4;
  report.suspects = screen.scales + screen.whole_run + screen.places + 1;  // and the noise
  report.scale_level = alarm_level(screen.scales, 2 * quarter);
  report.run_level = alarm_level(screen.whole_run + 1, quarter);
  report.place_level = alarm_level(screen.places, quarter);
  report.judged = c.evidence.judged;
  report.not_finite = c.evidence.not_finite;
  judge_noise(c, quarter / static_cast<double>(screen.whole_run + 1), report);
  std::vector<Suspect> suspects = striking(c, screen, report);
  if (!suspects.empty() && bytes_to_judge(c) > kMostBytes) {
    report.skipped = fmt::format("the longest request needs {:.1f} GiB to judge a suspect, the limit is {:.1f}",
                                 bytes_to_judge(c) / 0x1p30, kMostBytes / 0x1p30);
    suspects.clear();
  }
  if (suspects.empty()) return report;
  if (auto alignment = find_alignment(c, options.threads)) {
    report.p_left = alignment->share;
    adopt(c, std::move(*alignment));
    screen = run_screen(c, options.threads);
    suspects = striking(c, screen, report);
  }
  const std::vector<Expected> expected = expected_of(c, suspects, screen.softmax_sensitivity, options.threads);
  for (std::size_t k = 0; k < suspects.size(); ++k) {
    const double sigmas = expected[k].sigmas(), level = report.level_of(suspects[k]);
    if (!has_strength(suspects[k].fault) && expected[k].strength() < kLeastStrength) continue;
    report.nearest = std::max(report.nearest, std::fabs(sigmas) / level);
    if (std::fabs(sigmas) > level) report.alarms.push_back({suspects[k], expected[k].tally.amplitude(), sigmas});
  }
  std::stable_sort(report.alarms.begin(), report.alarms.end(),
                   [](const Finding& a, const Finding& b) { return std::fabs(a.sigmas) > std::fabs(b.sigmas); });
  return report;
}

FilterReport run_filters(const xqacheck_problem& problem, const Golden& golden, const xqacheck_numerics* numerics,
                         std::span<const double> got, const FilterOptions& options) {
  Context context(problem, golden, numerics, got, options.splits);
  Screen screen = run_screen(context, options.threads);
  return judge(context, screen, options);
}

}  // namespace xqacheck::reference::filters
