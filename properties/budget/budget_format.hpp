// What reading and writing of budget files share.
#pragma once

#include <cstdint>
#include <string>

#include "properties/budget/budget.hpp"

namespace xqacheck::properties::budget {

inline constexpr const char* kBudgetFormat = "xqacheck-budget/1";

// Seven significant digits: a paired comparison with what was read is then off by less than 1e-6.
std::string digits(double x);

// xxh64 of the measured part: samples, signatures, hashes as digits() writes them. Limits may be edited by hand, these not.
std::uint64_t checksum_of(const ConfigurationBudget& c);

}  // namespace xqacheck::properties::budget
