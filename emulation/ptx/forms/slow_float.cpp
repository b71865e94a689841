#include "emulation/ptx/forms/slow_float.hpp"

#include <bit>
#include <cmath>

namespace xqacheck::ptx::forms {

double value_of(const Binary& format, std::uint32_t bits) {
  const std::uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
  const std::uint32_t top = (1u << format.exponent_bits) - 1;
  const std::uint32_t exponent = bits >> format.mantissa_bits & top;
  const double sign = bits & format.sign() ? -1.0 : 1.0;
  if (format.infinities && exponent == top) return mantissa ? std::nan("") : sign * INFINITY;
  if (!format.infinities && exponent == top && mantissa == (1u << format.mantissa_bits) - 1) return std::nan("");
  const int scale = static_cast<int>(exponent ? exponent : 1) - format.bias() - format.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(mantissa + (exponent ? 1u << format.mantissa_bits : 0)), scale);
}

std::uint32_t flush(const Binary& format, std::uint32_t bits) {
  const bool denormal = (bits >> format.mantissa_bits & ((1u << format.exponent_bits) - 1)) == 0;
  return denormal ? bits & format.sign() : bits;
}

namespace {

double on_grid(double magnitude, int mantissa_bits, int exponent, Round round) {
  const double quantum = std::ldexp(1.0, exponent - mantissa_bits);
  const double steps = magnitude / quantum;  // a power of two: exact
  return (round == Round::toward_zero ? std::trunc(steps) : std::nearbyint(steps)) * quantum;
}

}  // namespace

std::uint32_t round_to(const Binary& format, double value, Round round) {
  if (std::isnan(value)) return format.nan;
  const std::uint32_t sign = std::signbit(value) ? format.sign() : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  // The largest finite number: e4m3 loses its last pattern to NaN.
  const int top = format.infinities ? format.bias() : format.bias() + 1;
  const double largest = std::ldexp(2.0 - std::ldexp(format.infinities ? 1.0 : 2.0, -format.mantissa_bits), top);
  const std::uint32_t largest_bits =
      (format.infinities ? ((1u << format.exponent_bits) - 1) << format.mantissa_bits : format.sign() - 1) - 1;
  if (std::isinf(magnitude)) return sign | (format.infinities ? largest_bits + 1 : largest_bits);
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias());
  const double rounded = on_grid(magnitude, format.mantissa_bits, exponent, round);
  if (rounded > largest)
    return sign | (format.infinities && round == Round::nearest_even ? largest_bits + 1 : largest_bits);
  if (rounded == 0) return sign;
  const int e = std::ilogb(rounded);
  if (e < 1 - format.bias())  // denormal: the pattern is the count of the least one
    return sign | static_cast<std::uint32_t>(std::ldexp(rounded, format.bias() - 1 + format.mantissa_bits));
  const auto mantissa = static_cast<std::uint32_t>(std::ldexp(rounded, format.mantissa_bits - e));
  const std::uint32_t biased = static_cast<std::uint32_t>(e + format.bias()) << format.mantissa_bits;
  return sign | (biased + (mantissa - (1u << format.mantissa_bits)));
}

std::uint32_t round_and_flush(const Binary& format, double value) {
  if (value == 0 || !std::isfinite(value)) return round_to(format, value);
  const double unlimited = on_grid(std::fabs(value), format.mantissa_bits, std::ilogb(value), Round::nearest_even);
  if (unlimited < std::ldexp(1.0, 1 - format.bias())) return std::signbit(value) ? format.sign() : 0;
  return round_to(format, value);
}

double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum) || sum == 0) return sum;
  // TwoSum (Knuth): the error of the addition, exactly.
  const double rest = sum - a, error = (a - (sum - rest)) + (b - rest);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || bits & 1) return sum;
  // Even and inexact: the odd neighbour on the side of the exact sum.
  const bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

std::uint32_t maximum(const Binary& format, std::uint32_t a, std::uint32_t b) {
  const double x = value_of(format, a), y = value_of(format, b);
  if (std::isnan(x)) return std::isnan(y) ? format.nan : b;
  if (std::isnan(y)) return a;
  if (x == y) return a & format.sign() ? b : a;
  return x > y ? a : b;
}

std::uint32_t minimum(const Binary& format, std::uint32_t a, std::uint32_t b) {
  const double x = value_of(format, a), y = value_of(format, b);
  if (std::isnan(x)) return std::isnan(y) ? format.nan : b;
  if (std::isnan(y)) return a;
  if (x == y) return a & format.sign() ? a : b;
  return x < y ? a : b;
}

}  // namespace xqacheck::ptx::forms
