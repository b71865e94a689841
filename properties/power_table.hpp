// Power: how soon each property finds the faults that it is for. What `verify --budget-seconds` orders its work by.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace xqacheck::properties {

struct Power {
  const char* property;
  std::vector<double> cases_needed;  // random cases until the property found each of the faults that it was tried on
  double seconds;                    // of one random case, before the run has measured it
  bool measured;                     // cases_needed; else they are a stated prior
};

// One entry for every property.
std::span<const Power> power_table();
const Power& power_of(std::string_view property);

// Faults that one more case is expected to find after `cases` cases: a fault that took n cases shows in a share of 1/n
// of them, so it is still hidden after m with probability (1 - 1/n)^m.
double gain(const Power& power, double cases);

}  // namespace xqacheck::properties
