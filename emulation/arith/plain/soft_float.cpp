#include "emulation/arith/plain/soft_float.hpp"

#include <algorithm>
#include <bit>

namespace xqacheck::arith::plain {

int leading_bit(uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  if (high != 0) return 127 - std::countl_zero(high);
  return 63 - std::countl_zero(static_cast<uint64_t>(value));
}

uint128 shift_right_nearest_even(uint128 magnitude, int shift) {
  if (shift <= 0) return magnitude << -shift;
  if (shift > 127) return 0;  // magnitudes stay below 2^126, so this is less than half a unit
  const uint128 quotient = magnitude >> shift;
  const uint128 rest = magnitude - (quotient << shift);
  const uint128 half = static_cast<uint128>(1) << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

namespace {

// The pattern whose mantissa (hidden bit included) is `mantissa` units of 2^(exponent - mantissa_bits). A carry out of
// the mantissa moves into the exponent field by itself.
uint32_t pack(const FloatFormat& format, bool negative, uint64_t mantissa, int exponent) {
  const uint32_t sign = negative ? format.sign_bit() : 0;
  const int above_min = exponent - format.min_exponent();
  if (above_min >= 1 << format.exponent_bits) return sign | format.infinity();
  const uint64_t bits = (static_cast<uint64_t>(above_min) << format.mantissa_bits) + mantissa;
  return sign | static_cast<uint32_t>(std::min<uint64_t>(bits, format.infinity()));
}

}  // namespace

uint32_t round_nearest_even(const FloatFormat& format, const Exact& value) {
  if (value.magnitude == 0) return value.negative ? format.sign_bit() : 0;
  const int exponent = std::max(leading_bit(value.magnitude) + value.exponent, format.min_exponent());
  const int quantum = exponent - format.mantissa_bits;
  const uint128 mantissa = shift_right_nearest_even(value.magnitude, quantum - value.exponent);
  return pack(format, value.negative, static_cast<uint64_t>(mantissa), exponent);
}

uint32_t round_toward_zero(const FloatFormat& format, const Exact& value) {
  if (value.magnitude == 0) return value.negative ? format.sign_bit() : 0;
  const int exponent = std::max(leading_bit(value.magnitude) + value.exponent, format.min_exponent());
  const int shift = exponent - format.mantissa_bits - value.exponent;
  const uint128 mantissa = shift <= 0 ? value.magnitude << -shift : shift > 127 ? 0 : value.magnitude >> shift;
  const uint32_t bits = pack(format, value.negative, static_cast<uint64_t>(mantissa), exponent);
  return (bits & format.magnitude_mask()) == format.infinity() ? bits - 1 : bits;
}

uint32_t round_nearest_even_ftz(const Exact& value) {
  if (value.magnitude == 0) return value.negative ? kF32.sign_bit() : 0;
  const int leading = leading_bit(value.magnitude);
  const uint128 mantissa = shift_right_nearest_even(value.magnitude, leading - kF32.mantissa_bits);
  const int carry = mantissa >> (kF32.mantissa_bits + 1) != 0 ? 1 : 0;
  if (leading + value.exponent + carry < kF32.min_exponent()) return value.negative ? kF32.sign_bit() : 0;
  return round_nearest_even(kF32, value);
}

Exact add(const Exact& a, const Exact& b) {
  if (a.magnitude == 0) return b;
  if (b.magnitude == 0) return a;
  const int top_a = leading_bit(a.magnitude) + a.exponent;
  const int top_b = leading_bit(b.magnitude) + b.exponent;
  Exact large = top_a >= top_b ? a : b;
  Exact small = top_a >= top_b ? b : a;
  // 64: below half a unit of any result of 48 bits or less, and 48 + 64 bits still fit the integer.
  constexpr int kFar = 64;
  if (top_a - top_b > kFar || top_b - top_a > kFar) small = {small.negative, 1, large.exponent - kFar};
  const int exponent = std::min(large.exponent, small.exponent);
  const auto term = [exponent](const Exact& value) {
    const auto aligned = static_cast<int128>(value.magnitude << (value.exponent - exponent));
    return value.negative ? -aligned : aligned;
  };
  const int128 sum = term(large) + term(small);
  return {sum < 0, static_cast<uint128>(sum < 0 ? -sum : sum), exponent};
}

Exact exact_of(const FloatFormat& format, const Decoded& operand) {
  return {operand.negative, operand.mantissa, operand.exponent - format.mantissa_bits};
}

}  // namespace xqacheck::arith::plain
