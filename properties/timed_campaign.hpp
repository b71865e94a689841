// A campaign against the clock: single properties on single cases in the order of the schedule, until time is up.
#pragma once

#include "properties/campaign.hpp"
#include "properties/schedule.hpp"

namespace xqacheck::properties {

// Ends with the first item that ends after `seconds`; items that have begun are finished. `deliver` gets results of one
// verdict in the order in which they end, one thread at a time. Run lines that name a property are judged by that one
// only, first. The first exception of a job ends the campaign and is rethrown.
std::vector<Schedule::Reached> run_timed_campaign(const CampaignPlan& plan, double seconds, Runners& runners,
                                                  const std::function<void(const CaseResult&)>& deliver);

}  // namespace xqacheck::properties
