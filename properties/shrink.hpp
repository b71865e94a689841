// Shrinking: greedy descent over single-step reductions of a failing case. Works across processes, as each candidate is
// run by whoever answers `still_fails`. The result is the same for any number of jobs: of a batch, the first candidate
// that still fails is taken, and effort is counted as one job would have spent it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/case.hpp"

namespace xqacheck::properties {

// For each case: does the same property still fail with the same kind of failure? May run them in parallel.
using StillFails = std::function<std::vector<bool>(const std::vector<reference::Case>&)>;

struct ShrinkLimits {
  std::uint32_t batch = 1;         // candidates asked for at once; set it to the number of jobs
  std::uint32_t max_tried = 4000;  // candidates, about a minute on small cases
  double max_seconds = 60;         // wall time; a result cut short by it is marked, as it may differ between runs
};

struct Shrunk {
  reference::Case smallest;
  std::uint32_t tried = 0;     // candidates, counted as with batch == 1
  std::uint32_t accepted = 0;  // steps that kept the failure
  bool local_minimum = false;  // no single reduction of `smallest` fails in the same way
  bool out_of_time = false;
};

Shrunk shrink(const reference::Case& failing, const StillFails& still_fails, const ShrinkLimits& limits = {});

}  // namespace xqacheck::properties
