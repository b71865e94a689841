// Judges the errors of a whole run together, where each of them is within its bound: doc/filters.md.
#pragma once

#include <optional>

#include "properties/property.hpp"

namespace xqacheck::properties {

// FAILED with the suspects whose matched filter gives an alarm (1e-6 a run), strongest first; nothing where none does.
// The plain run is judgeable.
std::optional<Verdict> judge_filters(Trial& trial);

}  // namespace xqacheck::properties
