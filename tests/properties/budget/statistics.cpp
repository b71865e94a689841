#include "properties/budget/statistics.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/catch.hpp"

using namespace xqacheck::properties::budget;

TEST_CASE("Student's t agrees with tables and closed forms") {
  CHECK(student_quantile(0.025, 10) == Approx(2.228139).epsilon(1e-6));  // Abramowitz and Stegun, table 26.10
  CHECK(student_quantile(0.05, 30) == Approx(1.697261).epsilon(1e-6));
  CHECK(student_quantile(0.0005, 5) == Approx(6.868827).epsilon(1e-6));
  for (const double tail : {0.3, 0.01, 1e-4, 1e-6, 1e-8}) {
    CHECK(student_quantile(tail, 1) == Approx(1 / std::tan(std::numbers::pi * tail)).epsilon(1e-6));
    CHECK(student_quantile(tail, 2) == Approx((1 - 2 * tail) * std::sqrt(2 / (4 * tail * (1 - tail)))).epsilon(1e-6));
    CHECK(student_tail(student_quantile(tail, 37), 37) == Approx(tail).epsilon(1e-6));
  }
  CHECK(student_quantile(2.866515719e-7, 1e7) == Approx(5).epsilon(1e-4));  // the normal distribution's five sigmas
}

TEST_CASE("intervals are those that can be worked out by hand") {
  const std::vector<double> balance = {1, 2, 3, 4};
  // mean 2.5, spread sqrt(5/3), t(3) at 2.5 % is 3.182446
  const Interval a = interval_of(Kind::balance, balance, 0.025);
  CHECK(a.mean == 2.5);
  CHECK(a.half_width() == Approx(3.182446 * std::sqrt(5.0 / 3) / 2).epsilon(1e-6));
  // logarithms 0, 1, 2 log 2: factor exp(t(2) * log 2 / sqrt 3) with t(2) at 2.5 % = 4.302653
  const std::vector<double> size = {1, 2, 4};
  const Interval b = interval_of(Kind::size, size, 0.025);
  CHECK(b.mean == Approx(7.0 / 3));
  CHECK(b.high / b.mean == Approx(std::exp(4.302653 * std::log(2.0) / std::sqrt(3.0))).epsilon(1e-6));
  CHECK(b.mean / b.low == Approx(b.high / b.mean));
  // Shares that never occurred: only 7 log(2 / tail) / (3 (n - 1)) is left.
  const std::vector<double> share(101, 0.0);
  const Interval c = interval_of(Kind::share, share, 0.05);
  CHECK(c.low == 0);
  CHECK(c.high == Approx(7 * std::log(40.0) / 300));
}

TEST_CASE("one sample says nothing about the mean") {
  const std::vector<double> one = {0.5};
  CHECK(std::isinf(interval_of(Kind::size, one, 0.025).high));
  CHECK(interval_of(Kind::share, one, 0.025).high == 1);
  CHECK(std::isinf(paired_change(one, 0.025).high));
}

TEST_CASE("Welch's comparison of two sets") {
  // Variances 1 and 4 of 4 and 9 samples: error sqrt(1/4 + 4/9), freedom (25/36)^2 / (1/48 + 16/648).
  const std::vector<double> now = {-std::sqrt(1.5), 0, 0, std::sqrt(1.5)};
  const std::vector<double> then = {-4, 0, 0, 0, 0, 0, 0, 0, 4};
  const Interval change = unpaired_change(now, then, 0.025);
  const double freedom = std::pow(25.0 / 36, 2) / (1.0 / 48 + 16.0 / 648);
  CHECK(change.mean == 0);
  CHECK(change.half_width() == Approx(student_quantile(0.025, freedom) * 5 / 6).epsilon(1e-9));
}

TEST_CASE("the chosen sample is the smallest that sees the effect") {
  const double tail = 1e-5, miss = 1e-3, spread = 0.02, effect = 0.03;
  const std::size_t n = samples_needed(spread, effect, tail, miss);
  const auto reach = [&](std::size_t samples) {
    const double freedom = 2.0 * (static_cast<double>(samples) - 1);
    return (student_quantile(tail, freedom) + student_quantile(miss, freedom)) * spread *
           std::sqrt(2 / static_cast<double>(samples));
  };
  CHECK(reach(n) <= effect);
  CHECK(reach(n - 1 - n / 16) > effect);
  CHECK(samples_needed(0, effect, tail, miss) == 2);
}
