// How a statistic stands to what a correct kernel may give.
#include <cmath>

#include "reference/filters/variance.hpp"

namespace xqacheck::reference::filters {

double Hypothesis::beyond(double a) const {
  return a > high ? a - high : a < low ? a - low : 0;
}

double Hypothesis::sigmas(double a) const {
  return beyond(a) == 0 || !(variance > 0) ? 0 : beyond(a) / std::sqrt(variance);
}

const Hypothesis* Expected::best() const {
  const Hypothesis* best = nullptr;
  for (const Hypothesis& h : hypotheses) {
    if (best == nullptr || std::fabs(h.sigmas(tally.a)) < std::fabs(best->sigmas(tally.a))) best = &h;
  }
  return best;
}

double Expected::sigmas() const {
  return hypotheses.empty() ? 0 : best()->sigmas(tally.a);
}

double Expected::strength() const {
  return hypotheses.empty() || !tally.seen() ? 0 : best()->beyond(tally.a) / tally.n;
}

}  // namespace xqacheck::reference::filters
