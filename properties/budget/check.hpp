// The gate: are a kernel's errors still within their budget?
//
// Each gated metric is asked two things. Its *limit*: may the mean over the distribution of inputs still be at or below
// it? That is judged with the spread over seeds. Its *change*: on the very inputs that the budget was measured on, did
// it rise by more than is tolerated? The difference is taken seed by seed, so that what the inputs do to the error
// cancels, and a per cent is seen with a few dozen samples. With fresh seeds there are no pairs, and the two sets are
// compared as such.
//
// The false-alarm rate of the budget is shared by all questions (Bonferroni), so it holds whatever their dependence.
#pragma once

#include <string>
#include <vector>

#include "properties/budget/budget.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties::budget {

enum class Answer : std::uint8_t {
  within,      // no question is open
  better,      // the metric fell by more than is tolerated
  unclear,     // the sample is too small to tell
  over_limit,  // the interval of the mean lies above the limit
  rose         // the interval of the change lies above what is tolerated
};
const char* name_of(Answer answer);

struct MetricFinding {
  Metric metric = Metric::rel_l2;
  Answer answer = Answer::within;
  Interval now;     // of the mean
  double then = 0;  // mean in the budget
  Interval change;  // of Gate::change: factor - 1 for sizes, difference for the others
  double limit = 0, tolerated = 0;
  bool paired = true;
  std::size_t then_samples = 0;  // compared with
  double strength = 0;           // of a failure: how many half widths the interval lies beyond what is allowed
};

struct ConfigurationFinding {
  Verdict verdict;                     // PASSED, FAILED, MISTRUSTED, or that of a run that gave nothing
  std::vector<MetricFinding> metrics;  // in the order of Metric
  bool paired = false;
  std::size_t identical = 0;  // samples whose output has the hash in the budget (paired)
  std::size_t samples = 0;
  double cosine = 1;  // between the errors now and then (paired)
  bool profile_changed = false;
  std::vector<std::string> warnings;  // "much better", "the error profile changed", with reasons
};

struct CheckRules {
  double false_alarm_rate = 1e-4;
  // Errors of an unchanged kernel that is not deterministic (sums in another order) have a cosine above 0.999; a change
  // of one accumulator bit or of the grid of P takes it to 0.98 or below.
  double same_profile = 0.99;
};

// `set` holds seeds first_seed, …: those of the budget (paired), or others.
ConfigurationFinding judge(const ConfigurationBudget& budget, const SampleSet& set, std::uint64_t first_seed,
                           const CheckRules& rules = {});

}  // namespace xqacheck::properties::budget
