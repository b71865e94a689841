// A budget of the right emulator, and checks of others against it, as `xqacheck budget measure` and `check` do them.
#pragma once

#include <string>

#include "properties/budget/look.hpp"
#include "properties/budget/sample_size.hpp"
#include "tests/properties/budget/planted.hpp"

namespace xqacheck::tests {

struct Gated {
  reference::RunLine run;
  properties::budget::ConfigurationBudget budget;
};

inline constexpr double kBudgetFalseAlarms = 1e-4;  // what files say

// `samples` 0: as many as `measure` takes by itself.
Gated gated(const std::string& line, std::uint64_t samples = 0, std::uint64_t first_seed = 1);

properties::budget::ConfigurationFinding check(const Gated& gate, const Planted& planted);

// One line, and a line a note.
void show(const std::string& what, const properties::budget::ConfigurationFinding& finding);

}  // namespace xqacheck::tests
