#include "emulation/arith/plain/convert.hpp"

#include "emulation/arith/plain/soft_float.hpp"

namespace xqacheck::arith::plain {

namespace {

// From any format into one with infinities.
template <auto Round>
uint32_t convert(const FloatFormat& from, const FloatFormat& to, uint32_t bits) {
  const Decoded x = decode(from, bits);
  switch (x.kind) {
    case Class::nan:
      return to.nan;
    case Class::infinite:
      return to.infinity() | (x.negative ? to.sign_bit() : 0);
    default:
      return Round(to, exact_of(from, x));
  }
}

constexpr uint32_t kE4m3Sign = 0x80;
constexpr uint32_t kE4m3Largest = 0x7e;  // 448

// e4m3 as if its exponent range went on: the mantissa grid is the same, and whatever rounds past 448 is overflow.
struct E4m3Rounding {
  uint32_t sign;
  uint32_t magnitude;  // valid unless overflow
  bool overflow;
};

E4m3Rounding round_to_e4m3(const FloatFormat& from, const Decoded& x) {
  // One exponent bit more than e4m3, same bias and grid: 480 is then a number, and 464 ties to it (even mantissa).
  constexpr FloatFormat kWider{3, 5, 7, true, 0};
  const uint32_t sign = x.negative ? kE4m3Sign : 0;
  if (x.kind == Class::infinite) return {sign, 0, true};
  const uint32_t bits = round_nearest_even(kWider, exact_of(from, x)) & kWider.magnitude_mask();
  return {sign, bits, bits > kE4m3Largest};
}

uint8_t to_e4m3_satfinite(const FloatFormat& from, uint32_t bits) {
  const Decoded x = decode(from, bits);
  if (x.kind == Class::nan) return static_cast<uint8_t>(kE4m3.nan);
  const E4m3Rounding rounded = round_to_e4m3(from, x);
  return static_cast<uint8_t>(rounded.sign | (rounded.overflow ? kE4m3Largest : rounded.magnitude));
}

Exact exact_of_integer(int32_t x) {
  const bool negative = x < 0;
  const auto wide = static_cast<int64_t>(x);
  return {negative, static_cast<uint128>(negative ? -wide : wide), 0};
}

}  // namespace

uint16_t cvt_rn_f16_f32(uint32_t x) {
  return static_cast<uint16_t>(convert<round_nearest_even>(kF32, kF16, x));
}
uint16_t cvt_rn_bf16_f32(uint32_t x) {
  return static_cast<uint16_t>(convert<round_nearest_even>(kF32, kBf16, x));
}
uint16_t cvt_rz_f16_f32(uint32_t x) {
  return static_cast<uint16_t>(convert<round_toward_zero>(kF32, kF16, x));
}
uint16_t cvt_rz_bf16_f32(uint32_t x) {
  return static_cast<uint16_t>(convert<round_toward_zero>(kF32, kBf16, x));
}

uint32_t cvt_f32_f16(uint16_t x) {
  return convert<round_nearest_even>(kF16, kF32, x);
}
uint32_t cvt_f32_bf16(uint16_t x) {
  return static_cast<uint32_t>(x) << 16;
}

uint8_t cvt_rn_satfinite_e4m3_f32(uint32_t x) {
  return to_e4m3_satfinite(kF32, x);
}
uint8_t cvt_rn_satfinite_e4m3_f16(uint16_t x) {
  return to_e4m3_satfinite(kF16, x);
}

uint8_t cuda_float_to_e4m3_nosat(uint32_t x) {
  const Decoded decoded = decode(kF32, x);
  if (decoded.kind == Class::nan) return static_cast<uint8_t>(kE4m3.nan);
  const E4m3Rounding rounded = round_to_e4m3(kF32, decoded);
  // The software path compares |x| with 464 itself: the tie saturates, only what lies beyond becomes NaN.
  constexpr uint32_t k464 = 0x43e80000;
  if ((x & kF32.magnitude_mask()) == k464) return static_cast<uint8_t>(rounded.sign | kE4m3Largest);
  return static_cast<uint8_t>(rounded.sign | (rounded.overflow ? kE4m3.nan : rounded.magnitude));
}

uint16_t cvt_f16_e4m3(uint8_t x) {
  return static_cast<uint16_t>(convert<round_nearest_even>(kE4m3, kF16, x));
}
uint16_t cvt_bf16_e4m3(uint8_t x) {
  return static_cast<uint16_t>(convert<round_nearest_even>(kE4m3, kBf16, x));
}
uint32_t cvt_f32_e4m3(uint8_t x) {
  return convert<round_nearest_even>(kE4m3, kF32, x);
}

uint32_t cvt_rn_f32_s32(int32_t x) {
  return round_nearest_even(kF32, exact_of_integer(x));
}
uint16_t cvt_rn_f16_s32(int32_t x) {
  return static_cast<uint16_t>(round_nearest_even(kF16, exact_of_integer(x)));
}
uint16_t cvt_rn_bf16_s32(int32_t x) {
  return static_cast<uint16_t>(round_nearest_even(kBf16, exact_of_integer(x)));
}

int8_t cvt_rni_sat_s8_f32(uint32_t bits) {
  const Decoded x = decode(kF32, bits);
  if (x.kind == Class::nan) return 0;
  const int limit = x.negative ? 128 : 127;
  const Exact exact = exact_of(kF32, x);
  // From 2^8 up, infinities included, the clamp decides.
  if (x.kind == Class::infinite || x.exponent >= 8) return static_cast<int8_t>(x.negative ? -limit : limit);
  const auto integer = static_cast<int>(shift_right_nearest_even(exact.magnitude, -exact.exponent));
  const int clamped = integer < limit ? integer : limit;
  return static_cast<int8_t>(x.negative ? -clamped : clamped);
}

}  // namespace xqacheck::arith::plain
