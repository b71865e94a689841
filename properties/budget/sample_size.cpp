#include "properties/budget/sample_size.hpp"

#include <algorithm>
#include <cmath>

namespace xqacheck::properties::budget {
namespace {

// Fewer, and t at these rates is so wide that a few more samples are the cheaper way. More, and a measurement takes
// longer than people wait; a check that cannot tell then says so.
constexpr std::size_t kLeast = 32, kMost = 320;
constexpr double kMiss = 1e-3;

double tail_of_pilot(double false_alarm_rate) {
  return false_alarm_rate / (2 * kMetrics);
}

// Standard deviation from seed to seed of a metric whose change is judged, of sizes that of the logarithm. 0: not
// judged.
double spread_of(const MetricInfo& info, std::vector<double> values) {
  if (info.gate != Gate::change || values.size() < 2) return 0;
  if (info.kind == Kind::size) {
    for (double& x : values) x = std::log(x);
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) return 0;
  }
  constexpr double kAnyTail = 0.025;  // only the standard deviation is asked for
  return interval_of(Kind::balance, values, kAnyTail).spread;
}

}  // namespace

std::size_t samples_to_measure(const SampleSet& pilot, double false_alarm_rate) {
  const double tail = tail_of_pilot(false_alarm_rate);
  std::size_t needed = kLeast;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const MetricInfo& info = info_of(static_cast<Metric>(i));
    const double spread = spread_of(info, values_of(pilot.samples, static_cast<Metric>(i)));
    if (spread == 0) continue;
    needed = std::max(needed, samples_needed(spread, info.detected - info.tolerated, tail, kMiss));
    // One accumulator bit moves gains by a third of their spread from seed to seed (doc/fp8-budgets.md).
    // samples_needed() is for two sets that share nothing, with the double variance of a difference; pairs have the
    // variance of theirs alone.
    if (info.resolved > 0)
      needed =
          std::max(needed, samples_needed(spread / 3 / std::sqrt(2.0), info.resolved - info.tolerated, tail, kMiss));
  }
  return std::min(needed, kMost);
}

std::size_t fresh_samples(const ConfigurationBudget& budget, double false_alarm_rate) {
  const double tail = tail_of_pilot(false_alarm_rate);
  std::size_t needed = kLeast;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const MetricInfo& info = info_of(static_cast<Metric>(i));
    const std::vector<double> values = budget.values_of(static_cast<Metric>(i));
    const double spread = spread_of(info, values);
    if (spread == 0) continue;
    const double freedom = static_cast<double>(values.size()) - 1;
    const double reach = (student_quantile(tail, freedom) + student_quantile(kMiss, freedom)) * spread;
    // reach * sqrt(1 / fresh + 1 / own) <= effect
    const double rest = std::pow((info.detected - info.tolerated) / reach, 2) - 1 / static_cast<double>(values.size());
    needed = std::max(needed, rest > 1.0 / kMost ? static_cast<std::size_t>(std::ceil(1 / rest)) : kMost);
  }
  return needed;
}

}  // namespace xqacheck::properties::budget
