#include "emulation/arith/plain/f32.hpp"

#include "emulation/arith/plain/scalar.hpp"

namespace xqacheck::arith::plain {

namespace {

constexpr auto kKeep = Denormals::keep;
constexpr auto kFlush = Denormals::flush;

uint32_t negated(uint32_t bits) {
  return bits ^ kF32.sign_bit();
}

uint32_t rounded(Denormals denormals, const Exact& value) {
  return denormals == kFlush ? round_nearest_even_ftz(value) : round_nearest_even(kF32, value);
}

uint32_t prepared(Denormals denormals, uint32_t bits) {
  return denormals == kFlush ? flush_denormal(kF32, bits) : bits;
}

uint32_t divide(Denormals denormals, uint32_t a_bits, uint32_t b_bits) {
  const Decoded a = decode(kF32, prepared(denormals, a_bits));
  const Decoded b = decode(kF32, prepared(denormals, b_bits));
  if (a.kind == Class::nan || b.kind == Class::nan) return kF32.nan;
  const uint32_t sign = a.negative != b.negative ? kF32.sign_bit() : 0;
  if (a.kind == Class::infinite) return b.kind == Class::infinite ? kF32.nan : sign | kF32.infinity();
  if (b.kind == Class::zero) return a.kind == Class::zero ? kF32.nan : sign | kF32.infinity();
  if (a.kind == Class::zero || b.kind == Class::infinite) return sign;
  // 76 more bits: at least 52 quotient bits even for the smallest denormal over the largest mantissa; the lowest bit
  // then only has to say whether anything was left over.
  const uint128 numerator = static_cast<uint128>(a.mantissa) << 76;
  const uint128 quotient = numerator / b.mantissa;
  const uint128 sticky = quotient * b.mantissa != numerator ? 1 : 0;
  return rounded(denormals, {sign != 0, quotient << 1 | sticky, a.exponent - b.exponent - 76 - 1});
}

uint32_t square_root(Denormals denormals, uint32_t a_bits) {
  const uint32_t bits = prepared(denormals, a_bits);
  const Decoded a = decode(kF32, bits);
  if (a.kind == Class::nan) return kF32.nan;
  if (a.kind == Class::zero) return bits;
  if (a.negative) return kF32.nan;
  if (a.kind == Class::infinite) return kF32.infinity();
  // Radicand = integer * 4^half: an even exponent and 64 more bits, so the root has at least 32 bits.
  const int exponent = a.exponent - kF32.mantissa_bits;
  const int odd = exponent & 1;
  const uint128 radicand = static_cast<uint128>(a.mantissa) << (64 + odd);
  uint128 root = 0;
  for (int bit = 46; bit >= 0; --bit) {  // radicand < 2^89, so root < 2^45
    const uint128 candidate = root | static_cast<uint128>(1) << bit;
    if (candidate * candidate <= radicand) root = candidate;
  }
  const uint128 sticky = root * root != radicand ? 1 : 0;
  return rounded(denormals, {false, root << 1 | sticky, (exponent - odd) / 2 - 32 - 1});
}

}  // namespace

uint32_t fma_rn_f32(uint32_t a, uint32_t b, uint32_t c) {
  return scalar_fma(kF32, kKeep, a, b, c);
}
uint32_t mul_rn_f32(uint32_t a, uint32_t b) {
  return scalar_mul(kF32, kKeep, a, b);
}
uint32_t add_rn_f32(uint32_t a, uint32_t b) {
  return scalar_add(kF32, kKeep, a, b);
}
uint32_t sub_rn_f32(uint32_t a, uint32_t b) {
  return scalar_add(kF32, kKeep, a, negated(b));
}
uint32_t div_rn_f32(uint32_t a, uint32_t b) {
  return divide(kKeep, a, b);
}
uint32_t rcp_rn_f32(uint32_t a) {
  return divide(kKeep, 0x3f800000u, a);
}
uint32_t sqrt_rn_f32(uint32_t a) {
  return square_root(kKeep, a);
}
uint32_t max_f32(uint32_t a, uint32_t b) {
  return scalar_max(kF32, kKeep, a, b);
}
uint32_t min_f32(uint32_t a, uint32_t b) {
  return scalar_min(kF32, kKeep, a, b);
}

uint32_t fma_rn_ftz_f32(uint32_t a, uint32_t b, uint32_t c) {
  return scalar_fma(kF32, kFlush, a, b, c);
}
uint32_t mul_rn_ftz_f32(uint32_t a, uint32_t b) {
  return scalar_mul(kF32, kFlush, a, b);
}
uint32_t add_rn_ftz_f32(uint32_t a, uint32_t b) {
  return scalar_add(kF32, kFlush, a, b);
}
uint32_t sub_rn_ftz_f32(uint32_t a, uint32_t b) {
  return scalar_add(kF32, kFlush, a, negated(b));
}
uint32_t div_rn_ftz_f32(uint32_t a, uint32_t b) {
  return divide(kFlush, a, b);
}
uint32_t rcp_rn_ftz_f32(uint32_t a) {
  return divide(kFlush, 0x3f800000u, a);
}
uint32_t sqrt_rn_ftz_f32(uint32_t a) {
  return square_root(kFlush, a);
}
uint32_t max_ftz_f32(uint32_t a, uint32_t b) {
  return scalar_max(kF32, kFlush, a, b);
}
uint32_t min_ftz_f32(uint32_t a, uint32_t b) {
  return scalar_min(kF32, kFlush, a, b);
}

}  // namespace xqacheck::arith::plain
