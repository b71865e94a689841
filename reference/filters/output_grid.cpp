#include "reference/filters/output_grid.hpp"

#include <algorithm>
#include <cmath>

namespace xqacheck::reference::filters {
namespace {

// From here on the rounding error of a normal variable is uniform: its mean is at most exp(-2 pi^2 s^2) / pi = 5e-6
// cells.
constexpr double kWide = 0.75;

double normal_below(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752);
}

}  // namespace

GridError grid_error(const NumberFormat& format, double value, double spread) {
  const double cell = spacing(format, value), s = spread / cell;
  if (s >= kWide) return {0, cell * cell / 12};
  const double place = value / cell, fraction = place - std::floor(place), width = std::max(s, 1e-12);
  // Farther from the border of two cells than any normal variable gets (2e-9): the rounding is one number.
  constexpr double kFar = 6;
  if (std::fabs(fraction - 0.5) > kFar * width && std::fabs(fraction - 0.5) + kFar * width < 1)
    return {(fraction > 0.5 ? 1 - fraction : -fraction) * cell, 0};
  double mean = 0, square = 0, below = normal_below((-4.5 - fraction) / width);
  for (int k = -4; k <= 5; ++k) {  // 4 cells are more than 5 standard deviations
    const double next = normal_below((k + 0.5 - fraction) / width), probability = next - below;
    below = next;
    mean += probability * (k - fraction);
    square += probability * (k - fraction) * (k - fraction);
  }
  return {mean * cell, std::max(0.0, square - mean * mean - s * s) * cell * cell};
}

std::array<double, kGridMeans> grid_means(const OutputPath& path, double value, double spread, double kept) {
  const auto written = [&](double x) { return rounded(path.format, rounded(path.before, x)) - value; };
  const bool partial = path.partials && kept > 0;
  return {grid_error(path.format, value, spread).mean, rounded(path.format, value) - value, written(value),
          partial ? written(rounded(path.partial, value / kept) * kept) : 0.0};
}

std::int64_t rounding_key(const NumberFormat& format, double value) {
  const double cell = spacing(format, value);
  return static_cast<std::int64_t>(std::floor(std::fabs(value) / cell * 0x1p20));
}

// Sum over keys of (sum of the values of the key)^2.
double squared_sums(std::vector<std::pair<std::int64_t, double>> values) {
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i].second;
    if (i + 1 < values.size() && values[i + 1].first == values[i].first) continue;
    total += sum * sum, sum = 0;
  }
  return total;
}

}  // namespace xqacheck::reference::filters
