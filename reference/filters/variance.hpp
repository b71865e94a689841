// Value of a filter's statistic, and its mean and variance a = sum w e D for a correct kernel, under the full error
// model: roundings of P and of scores are shared by all channels of a row, roundings of equal outputs are equal
// (doc/filters.md F1 to F5).
#pragma once

#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/suspect.hpp"
#include "reference/filters/tally.hpp"

namespace xqacheck::reference::filters {

// One way in which a correct kernel may have rounded: the statistic's mean lies in [low, high].
struct Hypothesis {
  double low = 0, high = 0, variance = 0;
  double beyond(double a) const;  // how far the statistic is from that
  double sigmas(double a) const;
};

struct Expected {
  Tally tally;  // of the run that is judged
  std::vector<Hypothesis> hypotheses;

  const Hypothesis* best() const;  // that explains the statistic best; NULL without any
  // Standard deviations, with sign, beyond the mean under the hypothesis that explains the statistic best.
  double sigmas() const;
  // Strength beyond that mean, 1 = the whole fault.
  double strength() const;
};

// One for every suspect, in one pass over K and V.
std::vector<Expected> expected_of(const Context& context, const std::vector<Suspect>& suspects,
                                  const std::vector<double>& softmax_sensitivity, int threads);

}  // namespace xqacheck::reference::filters
