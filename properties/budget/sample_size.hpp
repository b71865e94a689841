// How many samples the gate needs to tell what it must (doc/fp8-budgets.md, "Sample size").
#pragma once

#include <cstddef>

#include "properties/budget/budget.hpp"

namespace xqacheck::properties::budget {

// Samples that a budget remembers so that checks of it can tell what they must, each with probability 0.999: the
// smallest faults of MetricInfo on the same seeds, and those of the norms on as many other seeds. From the spreads of a
// pilot.
std::size_t samples_to_measure(const SampleSet& pilot, double false_alarm_rate);

// Fresh samples that the comparison with a budget's own samples needs; the fewer those are, the more.
std::size_t fresh_samples(const ConfigurationBudget& budget, double false_alarm_rate);

}  // namespace xqacheck::properties::budget
