// One check of one configuration: which samples it takes, and what it finds in them.
//
// On the seeds of the budget it looks twice. The first look takes kFirstLook of them. A kernel whose bits, or nearly
// so, are those of the budget is done with that. Whatever else shows (a failure, a doubt, another error profile) is
// judged on all seeds that the budget remembers, and only that judgement counts: a second look can take an alarm back,
// and the first one raises none, so two looks have no more false alarms than one.
//
// Fresh seeds are compared as a set, as many as the budget's own make necessary.
#pragma once

#include <cstdint>

#include "properties/budget/check.hpp"
#include "properties/budget/sampling.hpp"

namespace xqacheck::properties::budget {

// Six per cent of a norm stand out from 32 pairs: their differences spread by half of what seeds do, 2.5 %.
inline constexpr std::uint64_t kFirstLook = 32;

struct LookOptions {
  std::uint64_t fresh = 0;    // first of other seeds; 0: the seeds of the budget
  std::uint64_t samples = 0;  // 0: as many as are needed
  double false_alarm_rate = 1e-4;
  SamplingOptions sampling;
};

struct Look {
  SampleSet set;  // status other than ok: nothing was found
  ConfigurationFinding finding;
};

// Throws UsageError for fresh seeds that are among the budget's: those would be neither pairs nor independent.
Look look_at(const ConfigurationBudget& budget, Runners& runners, const LookOptions& options);

// Appends samples of later seeds; a run that gave nothing makes the whole set one that gave nothing.
void append(SampleSet& set, SampleSet more);

}  // namespace xqacheck::properties::budget
