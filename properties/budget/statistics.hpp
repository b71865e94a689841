// How far the mean of samples is known. Samples are independent: every seed is another counter-based stream.
//
// Student's t on the samples (Kind::balance), or on their logarithms (Kind::size). Each sample is itself an average over
// thousands of elements, so it is close to normal, and t is then exact for any number of samples. The bootstrap is not
// used: a gate's false-alarm rate of 1e-4 shared by twenty comparisons asks for quantiles of 5e-6, and resamples of 32
// numbers have no tail there. Shares (Kind::share) count rare events and are anything but normal: they get the empirical
// Bernstein bound of Maurer and Pontil (COLT 2009, theorem 4), which holds for any distribution on [0, 1].
#pragma once

#include <cstddef>
#include <span>

#include "properties/budget/metric.hpp"

namespace xqacheck::properties::budget {

// P(T > t) of Student's t with `freedom` degrees of freedom, and its inverse for tail in (0, 0.5].
double student_tail(double t, double freedom);
double student_quantile(double tail, double freedom);

struct Interval {
  double mean = 0, low = 0, high = 0;  // of the samples; low and high are inside [0, …] for sizes and shares
  double spread = 0;                   // standard deviation of one sample
  std::size_t samples = 0;
  double half_width() const { return (high - low) / 2; }
};

// Interval that leaves out the mean on one side with probability `tail`, for each side. One sample, or none: low and high
// are -inf and +inf (0 and +inf for sizes; 0 and 1 for shares).
Interval interval_of(Kind kind, std::span<const double> samples, double tail);

// Of the mean difference of pairs, or of two independent sets of samples (Welch). For sizes the samples are
// logarithms, so that the result is the logarithm of a factor.
Interval paired_change(std::span<const double> differences, double tail);
Interval unpaired_change(std::span<const double> now, std::span<const double> then, double tail);

// Samples that a two-sided comparison of two sets needs, so that a change of `effect` is seen with probability 1 - miss
// where `tail` is the false-alarm rate of a side: n >= 2 ((t_tail + t_miss) spread / effect)^2.
std::size_t samples_needed(double spread, double effect, double tail, double miss);

}  // namespace xqacheck::properties::budget
