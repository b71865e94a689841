// Where the numbers of a budget file come from.
#pragma once

#include <string>
#include <vector>

#include "properties/budget/budget.hpp"

namespace xqacheck::properties::budget {

Provenance provenance_of(const xqacheck_description& kernel, const Route& route, const std::vector<std::string>& command);

}  // namespace xqacheck::properties::budget
