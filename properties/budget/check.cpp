#include "properties/budget/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xqacheck::properties::budget {
namespace {

// Questions that may raise a false alarm: one limit and one change a metric at most.
std::size_t questions(const ConfigurationBudget& budget) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    if (!budget.metrics[i]) continue;
    const Gate gate = info_of(static_cast<Metric>(i)).gate;
    count += gate == Gate::change ? 2 : gate == Gate::limit ? 1 : 0;
  }
  return std::max<std::size_t>(count, 1);
}

std::vector<double> transformed(Kind kind, std::vector<double> values) {
  if (kind == Kind::size)
    for (double& x : values) x = std::log(x);
  return values;
}

bool all_positive(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x > 0 && std::isfinite(x); });
}

// Change of the mean. Sizes that are 0 now or then have no factor: equal zeros are no change, else any size.
Interval change_of(Kind kind, const std::vector<double>& now, const std::vector<double>& then, bool paired,
                   double tail) {
  if (kind == Kind::size && !(all_positive(now) && all_positive(then))) {
    const double a = *std::max_element(now.begin(), now.end()), b = *std::max_element(then.begin(), then.end());
    const double jump = a == b ? 0 : a > b ? HUGE_VAL : -1;
    return {jump, jump, jump, 0, now.size()};
  }
  const std::vector<double> x = transformed(kind, now), y = transformed(kind, then);
  Interval change;
  if (paired) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) differences.push_back(x[i] - y[i]);
    change = paired_change(differences, tail);
  } else {
    change = unpaired_change(x, y, tail);
  }
  if (kind == Kind::size)
    change.mean = std::expm1(change.mean), change.low = std::expm1(change.low), change.high = std::expm1(change.high);
  return change;
}

// Where the change may lie. A balance that had some value may go to 0 (a fault of the old kernel went away) but neither
// beyond nor away from it. Where the sample does not know on which side of 0 it was, both directions lead to 0.
struct Allowed {
  double low, high;
};
Allowed allowed(Kind kind, const Interval& then, double tolerated) {
  if (kind == Kind::balance) return {std::min(0.0, -then.high) - tolerated, std::max(0.0, -then.low) + tolerated};
  return {-HUGE_VAL, tolerated};
}

Answer answer_change(const MetricInfo& info, const Interval& then, MetricFinding& f) {
  const Allowed range = allowed(info.kind, then, f.tolerated);
  const double beyond = std::max(f.change.low - range.high, range.low - f.change.high);
  if (beyond > 0) {
    f.strength = beyond / std::max(f.change.half_width(), 1e-300);
    return Answer::rose;
  }
  // A fault of the size that must be seen is not excluded.
  const double room = std::max(info.detected - f.tolerated, f.tolerated);
  if (f.change.low < range.low - room || f.change.high > range.high + room) return Answer::unclear;
  if (info.kind == Kind::size && f.change.high < -f.tolerated) return Answer::better;
  if (info.kind == Kind::balance && std::fabs(f.then) > f.tolerated &&
      std::max(std::fabs(f.now.low), std::fabs(f.now.high)) < std::fabs(f.then) - f.tolerated)
    return Answer::better;
  return Answer::within;
}

Answer answer_limit(const MetricInfo& info, MetricFinding& f) {
  double low = f.now.low, high = f.now.high, mean = f.now.mean;
  if (info.kind == Kind::balance) {
    if (low <= 0 && high >= 0)
      high = std::max(-low, high), low = 0;
    else if (high < 0)
      std::swap(low, high), low = -low, high = -high;
    mean = std::fabs(mean);
  }
  if (low > f.limit) {
    f.strength = (low - f.limit) / std::max(f.now.half_width(), 1e-300);
    return Answer::over_limit;
  }
  // Above the limit, but perhaps by chance.
  return mean > f.limit || std::isinf(high) ? Answer::unclear : Answer::within;
}

int severity(Answer answer) {
  switch (answer) {
    case Answer::within:
      return 0;
    case Answer::better:
      return 1;
    case Answer::unclear:
      return 2;
    case Answer::over_limit:
    case Answer::rose:
      break;
  }
  return 3;
}

std::string percent(double x) {
  return std::fabs(x) < 100 ? fmt::format("{:+.2f} %", 100 * x) : fmt::format("{:+.3g} %", 100 * x);
}

std::string sentence(const MetricFinding& f) {
  const MetricInfo& info = info_of(f.metric);
  const auto change = [&](double x) { return info.kind == Kind::size ? percent(x) : fmt::format("{:+.3g}", x); };
  switch (f.answer) {
    case Answer::over_limit:
      return fmt::format("{} is {:.4g} ({:.4g} to {:.4g}), above its limit {:.4g}", info.key, f.now.mean, f.now.low,
                         f.now.high, f.limit);
    case Answer::rose:
      return fmt::format("{} moved from {:.4g} to {:.4g}: {} ({} to {}), tolerated {}", info.key, f.then, f.now.mean,
                         change(f.change.mean), change(f.change.low), change(f.change.high), change(f.tolerated));
    case Answer::unclear:
      if (info.gate == Gate::limit)
        return fmt::format("{}: {:.4g} ({:.4g} to {:.4g}) against limit {:.4g}: {} samples are too few", info.key,
                           f.now.mean, f.now.low, f.now.high, f.limit, f.now.samples);
      return fmt::format(
          "{}: {:.4g} ({:.4g} to {:.4g}) against limit {:.4g}, change {} to {}: {} samples{} are too few", info.key,
          f.now.mean, f.now.low, f.now.high, f.limit, change(f.change.low), change(f.change.high), f.now.samples,
          f.paired ? "" : fmt::format(" against the budget's {}", f.then_samples));
    case Answer::better:
      return fmt::format("much better: {} fell from {:.4g} to {:.4g} ({}); tighten the budget with --update", info.key,
                         f.then, f.now.mean, change(f.change.mean));
    case Answer::within:
      break;
  }
  return "";
}

MetricFinding ask(Metric metric, const MetricBudget& budget, const std::vector<double>& now,
                  const std::vector<double>& then, bool paired, double tail) {
  const MetricInfo& info = info_of(metric);
  MetricFinding f;
  f.paired = paired, f.then_samples = then.size();
  f.metric = metric, f.then = budget.measured.mean, f.limit = budget.limit, f.tolerated = budget.tolerated;
  f.now = interval_of(info.kind, now, tail);
  if (info.gate == Gate::shown) return f;
  f.answer = answer_limit(info, f);
  if (info.gate == Gate::change) {
    f.change = change_of(info.kind, now, then, paired, tail);
    const Answer answer = answer_change(info, interval_of(info.kind, then, tail), f);
    if (severity(answer) > severity(f.answer)) f.answer = answer;
  }
  if (severity(f.answer) < 3) f.strength = 0;
  return f;
}

void conclude(ConfigurationFinding& finding) {
  Verdict& v = finding.verdict;
  int worst = 0;
  for (const MetricFinding& f : finding.metrics) {
    worst = std::max(worst, severity(f.answer));
    if (f.answer == Answer::better) finding.warnings.push_back(sentence(f));
  }
  std::vector<const MetricFinding*> worst_ones;
  for (const MetricFinding& f : finding.metrics)
    if (severity(f.answer) == worst && worst >= 2) worst_ones.push_back(&f);
  std::stable_sort(worst_ones.begin(), worst_ones.end(), [](const MetricFinding* a, const MetricFinding* b) {
    // What compares with the same inputs says most.
    const bool first = info_of(a->metric).gate == Gate::change, second = info_of(b->metric).gate == Gate::change;
    return first != second ? first : a->strength > b->strength;
  });
  for (const MetricFinding* f : worst_ones) v.notes.push_back(sentence(*f));
  if (worst == 3) {
    v.status = Status::failed;
    const bool rose = std::any_of(finding.metrics.begin(), finding.metrics.end(),
                                  [](const MetricFinding& f) { return f.answer == Answer::rose; });
    v.kind = rose ? "error rose" : "over the limit";
  } else if (worst == 2) {
    v.status = Status::mistrusted, v.kind = "too few samples";
  }
  if (worst >= 2) v.message = v.kind + ": " + v.notes.front();
  v.notes.insert(v.notes.end(), finding.warnings.begin(), finding.warnings.end());
}

void compare_profiles(const ConfigurationBudget& budget, const SampleSet& set, const CheckRules& rules,
                      ConfigurationFinding& finding) {
  std::vector<Signature> now, then;
  for (std::size_t i = 0; i < finding.samples; ++i) {
    now.push_back(set.samples[i].measured.signature), then.push_back(budget.samples[i].signature);
    finding.identical += set.samples[i].out_hash == budget.samples[i].out_hash ? 1 : 0;
  }
  finding.cosine = cosine_of(now, then);
  if (finding.cosine >= rules.same_profile) return;
  finding.profile_changed = true;
  finding.warnings.push_back(fmt::format(
      "the error profile changed: the errors now and then have a cosine of {:.2f} (same kernel: above {:.2f})",
      finding.cosine, rules.same_profile));
}

}  // namespace

const char* name_of(Answer answer) {
  constexpr const char* kNames[] = {"within", "better", "unclear", "over_limit", "rose"};
  return kNames[static_cast<int>(answer)];
}

ConfigurationFinding judge(const ConfigurationBudget& budget, const SampleSet& set, std::uint64_t first_seed,
                           const CheckRules& rules) {
  ConfigurationFinding finding;
  Verdict& v = finding.verdict;
  v.property = "budget", v.subject = budget.run.subject, v.route = set.route, v.seconds = set.seconds;
  finding.paired = first_seed == budget.first_seed || !budget.run.subject.file.empty();
  finding.samples = finding.paired ? std::min(set.samples.size(), budget.samples.size()) : set.samples.size();
  v.elements = set.elements * finding.samples;
  const auto broken =
      std::find_if(set.samples.begin(), set.samples.end(), [](const Sample& s) { return s.measured.not_finite > 0; });
  if (broken != set.samples.end()) {
    v.status = Status::failed, v.kind = "nan or inf", v.bad_elements = broken->measured.not_finite;
    v.message = fmt::format("seed {}: {} of {} outputs are NaN or Inf", broken->seed, broken->measured.not_finite,
                            broken->measured.elements);
    return finding;
  }
  const double tail = rules.false_alarm_rate / static_cast<double>(questions(budget));
  std::string absent;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    if (!budget.metrics[i]) continue;
    std::vector<double> now = values_of(set.samples, metric);
    if (now.empty()) {
      absent += (absent.empty() ? "" : ", ") + std::string(info_of(metric).key);
      continue;
    }
    if (finding.paired && now.size() > finding.samples) now.resize(finding.samples);
    std::vector<double> then = budget.values_of(metric);
    if (finding.paired && then.size() > finding.samples) then.resize(finding.samples);
    finding.metrics.push_back(ask(metric, *budget.metrics[i], now, then, finding.paired, tail));
  }
  if (!absent.empty())
    finding.warnings.push_back("in the budget but not measured, as no emulator knows the kernel's attention weights: " +
                               absent);
  if (finding.paired) compare_profiles(budget, set, rules, finding);
  conclude(finding);
  return finding;
}

}  // namespace xqacheck::properties::budget
