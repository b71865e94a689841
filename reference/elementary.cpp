#include "reference/elementary.hpp"

#include <bit>
#include <cstdint>

namespace xqacheck::reference {
namespace {

constexpr double kLn2High = 0x1.62E42FEFA3p-1;     // first 41 bits of ln 2: times an exponent it is exact
constexpr double kLn2Low = 0x1.3DE6AF278ECE6p-42;  // ln 2 - kLn2High
constexpr double kSqrtHalf = 0x1.6A09E667F3BCDp-1;

// pi / 2 in three parts of at most 27 bits, so that up to 2^26 quarters times a part is exact.
constexpr double kHalfPi1 = 0x1.921FB54p0;
constexpr double kHalfPi2 = 0x1.10B4610p-30;
constexpr double kHalfPi3 = 0x1.A62633145C06Ep-58;

double round_even(double x) {
  const double magic = 0x1.8p52;
  return (x + magic) - magic;
}

double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

}  // namespace

double portable_log(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1022;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFu) | 0x3FE0000000000000u);  // [1/2, 1)
  if (m < kSqrtHalf) {
    m = m * 2;
    --exponent;
  }
  // log m = 2 atanh(s), |s| <= 0.172: the 13th term is below 2^-65.
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int n = 25; n >= 3; n -= 2) sum = (sum + 1.0 / n) * s2;
  return exponent * kLn2High + (exponent * kLn2Low + (2 * s + 2 * s * sum));
}

double portable_exp(double x) {
  const double n = round_even(x / (kLn2High + kLn2Low));
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 0;  // Taylor; |r| <= 0.347: the 16th term is below 2^-67
  for (int k = 15; k >= 1; --k) sum = (sum + 1) * r / k;
  const int e = static_cast<int>(n);
  return (1 + sum) * power_of_two(e / 2) * power_of_two(e - e / 2);
}

SinCos portable_sincos(double x) {
  const double n = round_even(x / (kHalfPi1 + kHalfPi2));
  const double r = ((x - n * kHalfPi1) - n * kHalfPi2) - n * kHalfPi3;
  const double r2 = r * r;
  double s = 0, c = 0;  // Taylor; |r| <= 0.786: the terms behind x^19 and x^20 are below 2^-70
  for (int k = 19; k >= 3; k -= 2) s = (s + 1) * -r2 / (k * (k - 1));
  for (int k = 20; k >= 2; k -= 2) c = (c + 1) * -r2 / (k * (k - 1));
  s = r + r * s;
  c = 1 + c;
  switch (static_cast<std::int64_t>(n) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

}  // namespace xqacheck::reference
