// Hunting a planted fault: random cases of the ordinary generator, one property, until the wrong kernel fails it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "properties/property.hpp"
#include "tests/faults/fault_file.hpp"

namespace xqacheck::tests {

inline constexpr std::uint32_t kMostCases = 200;  // that a fault may need

struct Hunt {
  bool property_exists = false;
  std::uint32_t cases = 0;      // judged, the failing one included
  bool found = false;           // the wrong kernel failed within kMostCases
  properties::Verdict verdict;  // the failing one
  std::string false_alarm;      // what the correct twin failed with on the same cases; "": it passed
};

Hunt hunt(const FaultFile& fault, const std::string& property);

// Both kernels on random case `index`.
std::pair<properties::Verdict, properties::Verdict> judge_two(const std::string& kernel, const std::string& other,
                                                              const std::string& property, std::uint32_t index);

// "…/faults.so:<name>"
std::string planted_kernel(const std::string& name);

std::vector<FaultFile> all_faults();

}  // namespace xqacheck::tests
