// Campaign: many cases, each judged by several properties, on several runners at once. Results arrive in the order of
// the cases whatever the number of jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "properties/property.hpp"
#include "properties/trial.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties {

// One runner a job. Starting a runner may throw EnvironmentError.
using Runners = std::vector<std::unique_ptr<Runner>>;

struct CaseResult {
  std::uint64_t number = 0;  // of the case in the campaign
  std::vector<Verdict>
      verdicts;           // in the order of the properties; only the first where the plain run gave nothing to compare
  bool executed = false;  // at least one verdict other than UNSUPPORTED
};

struct CampaignPlan {
  std::vector<std::uint64_t> numbers;                            // of the cases to run
  std::function<reference::RunLine(std::uint64_t)> case_number;  // pure; called from several threads
  std::vector<const Property*> properties;                       // for run lines that name none
  TrialOptions options;
};

// Judges all cases. `deliver` is called from one thread at a time; it returns false to stop early. The first exception
// of a job ends the campaign and is rethrown. A case that cannot be made (CaseError) is an UNSUPPORTED verdict.
void run_campaign(const CampaignPlan& plan, Runners& runners, const std::function<bool(const CaseResult&)>& deliver);

// All properties of one case, in order.
CaseResult judge_case(const reference::RunLine& run, const std::vector<const Property*>& properties, Runner& runner,
                      const TrialOptions& options);

}  // namespace xqacheck::properties
