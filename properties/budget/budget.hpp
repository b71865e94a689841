// Budget: what a kernel's errors were when they were measured, and what they may be. One file a kernel, one entry a
// configuration (doc/fp8-budgets.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/budget/sampling.hpp"
#include "properties/budget/statistics.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties::budget {

// Of one metric: its mean over the samples with the interval it is known in (95 % for both sides together), and what is
// allowed. Sizes and shares: the mean may not exceed `limit`; balances: its size may not.
struct MetricBudget {
  Interval measured;
  double limit = 0;      // only for Gate::limit and Gate::change
  double tolerated = 0;  // Gate::change: rise against the measured values (MetricInfo)
  bool fixed = false;    // the limit was set by a person: updates keep it
};

struct StoredSample {
  MetricValues values;  // of Gate::change; NaN for the others, whose samples nothing asks for
  Signature signature{};
  std::uint64_t out_hash = 0;
};

// Share of one rounding in the squared error (causes.hpp), remembered so that a change of profile can be named.
struct StoredCause {
  std::string step;
  double share = 0, low = 0, high = 0;
};

struct ConfigurationBudget {
  reference::RunLine run;  // without seed and kernel
  std::uint64_t first_seed = 1;
  std::array<std::optional<MetricBudget>, kMetrics> metrics;
  std::vector<StoredSample> samples;  // seeds first_seed, first_seed + 1, …
  std::vector<StoredCause> causes;    // may be empty

  std::vector<double> values_of(Metric metric) const;
};

struct Provenance {
  std::string kernel, version, recipe, device;  // recipe "family arch parameters", "" for none
  std::string tool, date, command;              // version of xqacheck, UTC, as typed
  std::string note;                             // free text, kept by updates
};

struct Budget {
  Provenance provenance;
  double false_alarm_rate = 1e-4;  // of the check of one configuration
  std::vector<ConfigurationBudget> configurations;
};

// The text of a configuration: its run line without seed and kernel.
std::string name_of(const ConfigurationBudget& configuration);

// Budget of one configuration from its samples, with limits by rule: the interval's end and a tenth more for sizes,
// the interval's end and a quarter of the fault to be seen for balances, and 0.05 for shares. `before`: fixed limits
// are taken over.
ConfigurationBudget budget_of(const reference::RunLine& run, std::uint64_t first_seed, const SampleSet& set,
                              const ConfigurationBudget* before = nullptr);

// -- the file, format xqacheck-budget/1 --

std::string text_of(const Budget& budget);

// Throws UsageError that names the place and the fix: not JSON, cut off, another format or version, a missing or
// contradictory field, measured values that do not have their checksum.
Budget parse_budget(std::string_view text, const std::string& name);

// What a new budget changes, one line an item; empty if nothing.
std::vector<std::string> difference(const Budget& before, const Budget& after);

}  // namespace xqacheck::properties::budget
