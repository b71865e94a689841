#include "properties/perf/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace xqacheck::properties::perf {
namespace {

double at(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Quartiles quartiles_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {samples.front(), at(samples, 0.25), at(samples, 0.5), at(samples, 0.75), samples.back(), samples.size()};
}

bool boxes_overlap(const Quartiles& a, const Quartiles& b) {
  return a.first <= b.third && b.first <= a.third;
}

}  // namespace xqacheck::properties::perf
