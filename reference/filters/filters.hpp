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
  std::uint32_t splits = 0;        // sub-sequences that the run used, 0: unknown
};

struct Finding {
  Suspect suspect;
  double amplitude = 0;  // 1 = the whole fault; scales: relative error
  double sigmas = 0;     // standard deviations of a correct kernel's statistic, beyond its largest mean
};

struct FilterReport {
  std::vector<Finding> alarms;                             // strongest first; empty for a correct kernel
  double scale_level = 0, run_level = 0, place_level = 0;  // |sigmas| from which a finding is an alarm, by family
  std::uint64_t suspects = 0;                              // all of them
  double nearest = 0;  // largest |sigmas| / level of all suspects that were judged with the full model
  std::uint64_t judged = 0, not_finite = 0;  // elements
  double noise = 0;                          // mean of error^2 * weight; about 1 or less for a correct kernel
  double noise_level = 0;                    // from here on the errors are larger than declared
  double p_left = 1;                         // share of the variance of P's rounding that no scenario explains
  std::string skipped;                       // not empty: why the filters were not run
  bool alarm() const { return !alarms.empty(); }
  double level_of(const Suspect& suspect) const;
};

// `got`: the output of the run, decoded, [R][q_heads][head_dim_v]. `golden` with its error model, of the same numerics.
FilterReport run_filters(const xqacheck_problem& problem, const Golden& golden, const xqacheck_numerics* numerics,
                         std::span<const double> got, const FilterOptions& options = {});

// The same on what is already there, for `explain`. Where the error shows how P was rounded, that is taken out of the
// evidence of `context`, and `screen` is that of the rest.
FilterReport judge(Context& context, Screen& screen, const FilterOptions& options);

// Who shares the false-alarm rate: the two scales have half of it, because nothing is harder to see and nothing as
// common; other faults of the whole run (masks, windows, lengths, sinks of many heads, noise) and places (tokens,
// pages, heads) a quarter.
enum class Family : std::uint8_t { scale, run, place };
Family family_of(const Suspect& suspect);

// Number of standard deviations that any of `suspects` statistics exceeds with probability `rate` at most.
double alarm_level(std::uint64_t suspects, double rate);

}  // namespace xqacheck::reference::filters
