#include "properties/budget/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xqacheck::properties::budget {
namespace {

constexpr double kTail = 0.025;    // of each side of the intervals that files show: 95 % together
constexpr double kSizeRoom = 1.1;  // a limit is a decision about accuracy, not about noise: a tenth above what is there
constexpr double kShareRoom = 0.05;

double limit_by_rule(const MetricInfo& info, const Interval& measured) {
  switch (info.kind) {
    case Kind::size:
      return std::max(measured.high * kSizeRoom, info.harmless);
    case Kind::share:
      return std::min(1.0, measured.high + kShareRoom);
    case Kind::balance:
      break;
  }
  // A balance that nobody must see a change of (bias) may be as far off as its interval, twice; the others by a quarter
  // of the fault that must be seen.
  const double size = std::max(std::fabs(measured.low), std::fabs(measured.high));
  return info.detected > 0 ? size + info.detected / 4 : 2 * size;
}

std::string shown(double x) {
  return fmt::format("{:.4g}", x);
}

StoredSample stored(const Sample& sample) {
  StoredSample result{{}, sample.measured.signature, sample.out_hash};
  for (std::size_t i = 0; i < kMetrics; ++i)
    if (info_of(static_cast<Metric>(i)).gate == Gate::change)
      result.values.values[i] = sample.measured.values.values[i];
  // Projections are known to a tenth at best; four places keep files short.
  for (double& x : result.signature) x = std::round(x * 1e4) / 1e4;
  return result;
}

void compare_metrics(const ConfigurationBudget& before, const ConfigurationBudget& after,
                     std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto &a = before.metrics[i], &b = after.metrics[i];
    const char* const key = info_of(static_cast<Metric>(i)).key;
    if (a.has_value() != b.has_value()) {
      lines.push_back(fmt::format("  {} {}", b ? "+" : "-", key));
    } else if (a && (shown(a->measured.mean) != shown(b->measured.mean) || shown(a->limit) != shown(b->limit))) {
      std::string line = fmt::format("    {}: {} -> {}", key, shown(a->measured.mean), shown(b->measured.mean));
      if (info_of(static_cast<Metric>(i)).gate != Gate::shown)
        line += fmt::format(", limit {} -> {}{}", shown(a->limit), shown(b->limit), b->fixed ? " (fixed)" : "");
      lines.push_back(line);
    }
  }
}

}  // namespace

std::vector<double> ConfigurationBudget::values_of(Metric metric) const {
  std::vector<double> values;
  for (const StoredSample& sample : samples)
    if (const double x = sample.values[metric]; !std::isnan(x)) values.push_back(x);
  return values;
}

std::string name_of(const ConfigurationBudget& configuration) {
  return reference::print_run_line(configuration.run);
}

ConfigurationBudget budget_of(const reference::RunLine& run, std::uint64_t first_seed, const SampleSet& set,
                              const ConfigurationBudget* before) {
  ConfigurationBudget result;
  result.run = run, result.first_seed = first_seed;
  result.run.kernel.clear(), result.run.subject.seed = 0;
  for (const Sample& sample : set.samples) result.samples.push_back(stored(sample));
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    const MetricInfo& info = info_of(metric);
    const std::vector<double> values = properties::budget::values_of(set.samples, metric);
    if (values.size() < 2) continue;
    MetricBudget m;
    m.measured = interval_of(info.kind, values, kTail);
    if (info.gate != Gate::shown) m.limit = limit_by_rule(info, m.measured);
    m.tolerated = info.tolerated;
    if (before != nullptr && before->metrics[i] && before->metrics[i]->fixed)
      m.limit = before->metrics[i]->limit, m.fixed = true;
    if (before != nullptr && before->metrics[i]) m.tolerated = before->metrics[i]->tolerated;
    result.metrics[i] = m;
  }
  return result;
}

std::vector<std::string> difference(const Budget& before, const Budget& after) {
  std::vector<std::string> lines;
  const auto field = [&](const char* name, const std::string& a, const std::string& b) {
    if (a != b) lines.push_back(fmt::format("{}: {} -> {}", name, a.empty() ? "none" : a, b.empty() ? "none" : b));
  };
  field("kernel", before.provenance.kernel, after.provenance.kernel);
  field("version", before.provenance.version, after.provenance.version);
  field("recipe", before.provenance.recipe, after.provenance.recipe);
  field("device", before.provenance.device, after.provenance.device);
  const auto find = [](const Budget& budget, const std::string& name) -> const ConfigurationBudget* {
    for (const ConfigurationBudget& c : budget.configurations)
      if (name_of(c) == name) return &c;
    return nullptr;
  };
  for (const ConfigurationBudget& c : after.configurations) {
    const ConfigurationBudget* const old = find(before, name_of(c));
    if (old == nullptr) {
      lines.push_back("+ " + name_of(c));
      continue;
    }
    std::vector<std::string> changes;
    compare_metrics(*old, c, changes);
    if (old->samples.size() != c.samples.size())
      changes.push_back(fmt::format("    samples: {} -> {}", old->samples.size(), c.samples.size()));
    if (changes.empty()) continue;
    lines.push_back("  " + name_of(c));
    lines.insert(lines.end(), changes.begin(), changes.end());
  }
  for (const ConfigurationBudget& c : before.configurations)
    if (find(after, name_of(c)) == nullptr) lines.push_back("- " + name_of(c));
  return lines;
}

}  // namespace xqacheck::properties::budget
