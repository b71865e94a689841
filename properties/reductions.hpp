// Single steps that make a case simpler: the moves of the shrinker, and the shrinks of the RapidCheck generators.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/case.hpp"

namespace xqacheck::properties {

struct Reduction {
  const char* rule;  // "drop request", "halve length" …
  reference::Case simpler;
};

// Every simpler case one step away, big steps first within a rule, without duplicates and without `c` itself. Cases
// that contradict themselves are left out. Each result has a smaller size_of() than `c`, so chains of steps end.
std::vector<Reduction> reductions(const reference::Case& c);

// A measure of how much there is to a case; 0 is never reached. Sums over all fields, so that a step in one field that
// leaves the others alone makes it smaller.
double size_of(const reference::Case& c);

}  // namespace xqacheck::properties
