// Lines of result files about budgets, types `budget` and `causes` (doc/results-format.md).
#pragma once

#include <string>

#include "properties/budget/causes.hpp"
#include "properties/budget/check.hpp"

namespace xqacheck::properties::budget {

// What was measured (no limits known) or checked. `mode`: "measure" or "check".
std::string record_of(const ConfigurationBudget& measured, const SampleSet& set, const std::string& kernel,
                      std::uint64_t number);
std::string record_of(const ConfigurationFinding& finding, const std::string& kernel, std::uint64_t number);
std::string record_of(const reference::RunLine& run, const CauseSplit& split, const std::vector<WhatIfResult>& tried,
                      const std::string& kernel, std::uint64_t number);

// The causes that a budget remembers (not empty): shares of its mean squared error.
std::string record_of_stored_causes(const ConfigurationBudget& budget, const std::string& kernel, std::uint64_t number);

}  // namespace xqacheck::properties::budget
