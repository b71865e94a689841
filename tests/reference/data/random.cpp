// The random numbers and the elementary functions below all data.
#include <cmath>

#include "reference/elementary.hpp"
#include "reference/normal_table.hpp"
#include "reference/philox.hpp"
#include "tests/catch.hpp"
#include "tests/reference/data/philox_reference.hpp"

using namespace xqacheck::reference;
using xqacheck::tests::slow_philox;

TEST_CASE("Philox gives the published known answers", "[data]") {
  using Words = std::array<std::uint32_t, 4>;
  // kat_vectors of Random123 1.14, philox4x32 with 10 rounds.
  CHECK(slow_philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(slow_philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(slow_philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint64_t seed = 0x123456789ABCDEFull * (i + 1);
    CHECK(draw4(seed, Stream::v, i, 7 * i, 3, i) ==
          slow_philox({i, 7 * i, 3, 18u << 24 | i},
                      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}));
  }
}

TEST_CASE("numbers below a bound are in range and even", "[data]") {
  for (std::uint64_t span : {1ull, 2ull, 7ull, 1000ull, 1ull << 32}) {
    double sum = 0;
    const int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t n = draw_below(3, Stream::pages, i, span);
      REQUIRE(n < span);
      sum += static_cast<double>(n);
    }
    // Mean of a discrete uniform, within five of its deviations.
    const double mean = (static_cast<double>(span) - 1) / 2,
                 sigma = std::sqrt((double(span) * double(span) - 1) / 12 / draws);
    CHECK(std::abs(sum / draws - mean) <= 5 * sigma);
  }
}

TEST_CASE("normal quantiles invert the distribution function", "[data]") {
  for (double p : {1e-12, 1e-6, 1.0 / 131072, 0.01, 0.075, 0.0749, 0.2, 0.4999, 0.5, 0.7, 0.925, 0.99, 0.999999}) {
    const double x = normal_quantile(p);
    const double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // The slope of log p is |x| at most in the tails: an error of 1e-14 in x stays below 1e-12 in p.
    CHECK(std::abs(back - p) <= 1e-12 * p);
  }
  const float* table = normal_table();
  double sum = 0, squares = 0;
  for (int r = 0; r < 65536; ++r) {
    REQUIRE(table[r] == -table[65535 - r]);
    if (r > 0) REQUIRE(table[r] > table[r - 1]);
    sum += table[r];
    squares += double(table[r]) * table[r];
  }
  CHECK(sum == 0);
  CHECK(std::abs(squares / 65536 - 1) < 3e-5);
}

TEST_CASE("elementary functions agree with libm", "[data]") {
  for (double x = 1e-9; x < 1e9; x *= 1.37)
    CHECK(std::abs(portable_log(x) - std::log(x)) <= 1e-15 * (1 + std::abs(std::log(x))));
  for (double x = -600; x < 600; x += 1.913) CHECK(std::abs(portable_exp(x) / std::exp(x) - 1) <= 3e-15);
  for (double x = 0; x < 67108864; x = x * 1.013 + 0.37) {
    const SinCos s = portable_sincos(x);
    // The reduction loses |x| * 2^-111 and a few roundings near 1.
    CHECK(std::abs(s.sin - std::sin(x)) <= 1e-15);
    CHECK(std::abs(s.cos - std::cos(x)) <= 1e-15);
  }
}
