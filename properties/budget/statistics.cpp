#include "properties/budget/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace xqacheck::properties::budget {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), modified Lentz; converges quickly for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kClose = 1e-15;
  constexpr int kMost = 500;
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m <= kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d), c = away_from_zero(1 + even / c), h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d), c = away_from_zero(1 + odd / c);
    h *= d * c;
    if (std::fabs(d * c - 1) < kClose) break;
  }
  return h;
}

// Regularised incomplete beta function I_x(a, b); `y` is 1 - x without cancellation.
double incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments_of(std::span<const double> x) {
  Moments m;
  for (const double value : x) m.mean += value;
  m.mean /= static_cast<double>(x.size());
  for (const double value : x) m.variance += (value - m.mean) * (value - m.mean);
  m.variance = x.size() > 1 ? m.variance / static_cast<double>(x.size() - 1) : 0;
  return m;
}

Interval around(const Moments& m, std::size_t samples, double error, double quantile) {
  Interval result{m.mean, m.mean - quantile * error, m.mean + quantile * error, std::sqrt(m.variance), samples};
  return result;
}

Interval share_interval(std::span<const double> x, double tail) {
  const Moments m = moments_of(x);
  const auto n = static_cast<double>(x.size());
  const double log = std::log(2 / tail);
  const double width = std::sqrt(2 * m.variance * log / n) + 7 * log / (3 * (n - 1));
  return {m.mean, std::max(0.0, m.mean - width), std::min(1.0, m.mean + width), std::sqrt(m.variance), x.size()};
}

}  // namespace

double student_tail(double t, double freedom) {
  if (t < 0) return 1 - student_tail(-t, freedom);
  const double square = t * t;
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)) / 2;
}

double student_quantile(double tail, double freedom) {
  double low = 0, high = 1;
  while (student_tail(high, freedom) > tail && high < 1e12) high *= 2;
  constexpr int kHalvings = 100;  // of a double's 52 bits and the doublings before
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (student_tail(middle, freedom) > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

Interval interval_of(Kind kind, std::span<const double> samples, double tail) {
  if (samples.size() < 2) {
    const double mean = samples.empty() ? std::numeric_limits<double>::quiet_NaN() : samples.front();
    return {mean, kind == Kind::balance ? -kInf : 0, kind == Kind::share ? 1 : kInf, 0, samples.size()};
  }
  if (kind == Kind::share) return share_interval(samples, tail);
  const auto n = static_cast<double>(samples.size());
  const double quantile = student_quantile(tail, n - 1);
  const bool positive = std::all_of(samples.begin(), samples.end(), [](double x) { return x > 0; });
  const Moments plain = moments_of(samples);
  if (kind == Kind::balance || !positive) {  // a size that is exactly 0 somewhere has no logarithm
    Interval result = around(plain, samples.size(), std::sqrt(plain.variance / n), quantile);
    if (kind == Kind::size) result.low = std::max(0.0, result.low);
    return result;
  }
  std::vector<double> logs;
  for (const double x : samples) logs.push_back(std::log(x));
  const Moments log = moments_of(logs);
  // The factor between the interval's ends and the geometric mean, around the arithmetic mean that people quote.
  const double factor = std::exp(quantile * std::sqrt(log.variance / n));
  return {plain.mean, plain.mean / factor, plain.mean * factor, std::sqrt(plain.variance), samples.size()};
}

Interval paired_change(std::span<const double> differences, double tail) {
  if (differences.size() < 2) return {differences.empty() ? 0 : differences.front(), -kInf, kInf, 0, differences.size()};
  const auto n = static_cast<double>(differences.size());
  const Moments m = moments_of(differences);
  return around(m, differences.size(), std::sqrt(m.variance / n), student_quantile(tail, n - 1));
}

Interval unpaired_change(std::span<const double> now, std::span<const double> then, double tail) {
  if (now.size() < 2 || then.size() < 2) return {0, -kInf, kInf, 0, std::min(now.size(), then.size())};
  const Moments a = moments_of(now), b = moments_of(then);
  const auto n = static_cast<double>(now.size()), m = static_cast<double>(then.size());
  const double va = a.variance / n, vb = b.variance / m, error = std::sqrt(va + vb);
  // Welch and Satterthwaite.
  const double freedom = error > 0 ? (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1)) : n + m - 2;
  const Moments difference{a.mean - b.mean, a.variance};
  return around(difference, now.size(), error, student_quantile(tail, freedom));
}

std::size_t samples_needed(double spread, double effect, double tail, double miss) {
  if (!(spread > 0)) return 2;
  constexpr std::size_t kMost = 1u << 20;
  for (std::size_t n = 2; n < kMost; n += 1 + n / 16) {
    const double freedom = 2.0 * (static_cast<double>(n) - 1);
    const double reach = student_quantile(tail, freedom) + student_quantile(miss, freedom);
    if (reach * spread * std::sqrt(2 / static_cast<double>(n)) <= effect) return n;
  }
  return kMost;
}

}  // namespace xqacheck::properties::budget
