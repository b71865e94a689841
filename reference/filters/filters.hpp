// Matched filters: is the error of a run aligned with a suspected fault? One call a run; cheap enough to be always on.
// See doc/filters.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/filters/context.hpp"
#include "reference/filters/screen.hpp"
#include "reference/filters/suspect.hpp"
#include "reference/golden.hpp"

namespace xqacheck::reference::filters {

struct FilterOptions {
  double false_alarm_rate = 1e-6;  // of a whole run, over all suspects
  int threads = 0;                 // 0: all; results do not depend on it
};

struct Finding {
  Suspect suspect;
  double amplitude = 0;  // 1 = the whole fault; scales: relative error
  double sigmas = 0;     // standard deviations of a correct kernel's statistic, beyond its largest mean
};

struct FilterReport {
  std::vector<Finding> alarms;  // strongest first; empty for a correct kernel
  // |sigmas| from which a finding is an alarm: for the few suspects about the whole run, and for the many about one
  // place.
  double level = 0, place_level = 0;
  std::uint64_t suspects = 0;  // all of them
  double nearest = 0;          // largest |sigmas| / level of all suspects that were judged with the full model
  std::uint64_t judged = 0, not_finite = 0;  // elements
  double noise = 0;                          // mean of error^2 * weight; about 1 or less for a correct kernel
  double noise_level = 0;                    // from here on the errors are larger than declared
  std::string skipped;                       // not empty: why the filters were not run
  bool alarm() const { return !alarms.empty(); }
};

// `got`: the output of the run, decoded, [R][q_heads][head_dim_v]. `golden` with its error model, of the same numerics.
FilterReport run_filters(const xqacheck_problem& problem, const Golden& golden, const xqacheck_numerics* numerics,
                         std::span<const double> got, const FilterOptions& options = {});

// The same on what is already there, for `explain`.
FilterReport judge(const Context& context, const Screen& screen, const FilterOptions& options);

// Scales, masks, windows, lengths, sinks of many heads: half of the false-alarm rate is theirs, the other half that of
// tokens, pages and heads.
bool about_whole_run(const Suspect& suspect);

// Number of standard deviations that any of `suspects` statistics exceeds with probability `rate` at most.
double alarm_level(std::uint64_t suspects, double rate);

}  // namespace xqacheck::reference::filters
