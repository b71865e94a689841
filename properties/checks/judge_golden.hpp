// Judges one outcome of a problem against the golden result: shared by every property that demands "within the bound".
#pragma once

#include <string>

#include "properties/property.hpp"

namespace xqacheck::properties {

// PASSED, FAILED with evidence, MISTRUSTED where an output of zeros would pass too, UNSUPPORTED where the case lies
// outside of the kernel's declared domain. `during` as in verdict_of_broken_run(). `outcome` is judgeable.
Verdict judge_golden(const xqacheck_problem& problem, const reference::Golden& golden,
                     const xqacheck_description& kernel, const Outcome& outcome, const std::string& during);

}  // namespace xqacheck::properties
