// Shrinking of a failing verdict: candidates are run in parallel on the runners and judged by the property that failed.
#pragma once

#include "properties/campaign.hpp"
#include "properties/shrink.hpp"

namespace xqacheck::properties {

struct ShrunkFailure {
  Verdict verdict;  // of the smallest case that fails in the same way, run afresh
  Shrunk how;
};

// Same way: the same status and kind. `run` is the run line of the failing verdict, `property` the one that failed.
ShrunkFailure shrink_failure(const Property& property, const Verdict& failing, const reference::RunLine& run,
                             Runners& runners, TrialOptions options);

}  // namespace xqacheck::properties
