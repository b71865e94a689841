// Where a kernel promises to be right, applied to one problem and its golden result.
#pragma once

#include <string>

#include "reference/golden.hpp"

namespace xqacheck::properties {

// Why the problem lies outside of the declared domain, in one sentence; "" if it does not.
std::string outside_domain(const xqacheck_problem& problem, const reference::Golden& golden,
                           const xqacheck_domain& domain);

// The golden result with the answers that the domain declares for empty rows (NaN instead of 0).
reference::Golden in_domain(const xqacheck_problem& problem, reference::Golden golden, const xqacheck_domain& domain);

}  // namespace xqacheck::properties
