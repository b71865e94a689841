#include "emulation/arith/plain/scalar.hpp"

namespace xqacheck::arith::plain {

namespace {

uint32_t prepared(const FloatFormat& format, Denormals denormals, uint32_t bits) {
  return denormals == Denormals::flush ? flush_denormal(format, bits) : bits;
}

uint32_t rounded(const FloatFormat& format, Denormals denormals, const Exact& value) {
  return denormals == Denormals::flush ? round_nearest_even_ftz(value) : round_nearest_even(format, value);
}

uint32_t infinity(const FloatFormat& format, bool negative) {
  return format.infinity() | (negative ? format.sign_bit() : 0);
}

// Orders non-NaN patterns as their values, with -0 below +0.
int64_t order_key(const FloatFormat& format, uint32_t bits) {
  const auto magnitude = static_cast<int64_t>(bits & format.magnitude_mask());
  return (bits & format.sign_bit()) != 0 ? -magnitude - 1 : magnitude;
}

}  // namespace

uint32_t scalar_fma(const FloatFormat& format, Denormals denormals, uint32_t a_bits, uint32_t b_bits, uint32_t c_bits) {
  const Decoded a = decode(format, prepared(format, denormals, a_bits));
  const Decoded b = decode(format, prepared(format, denormals, b_bits));
  const Decoded c = decode(format, prepared(format, denormals, c_bits));
  if (a.kind == Class::nan || b.kind == Class::nan || c.kind == Class::nan) return format.nan;
  const bool product_negative = a.negative != b.negative;
  if (a.kind == Class::infinite || b.kind == Class::infinite) {
    if (a.kind == Class::zero || b.kind == Class::zero) return format.nan;
    if (c.kind == Class::infinite && c.negative != product_negative) return format.nan;
    return infinity(format, product_negative);
  }
  if (c.kind == Class::infinite) return infinity(format, c.negative);
  const Exact product{product_negative, static_cast<uint128>(a.mantissa) * b.mantissa,
                      a.exponent + b.exponent - 2 * format.mantissa_bits};
  const Exact addend = exact_of(format, c);
  Exact sum = add(product, addend);
  // IEEE: a sum that is exactly zero is -0 only when both terms are negative zeros.
  if (sum.magnitude == 0) {
    sum.negative = product.magnitude == 0 && addend.magnitude == 0 && product.negative && addend.negative;
  }
  return rounded(format, denormals, sum);
}

uint32_t scalar_mul(const FloatFormat& format, Denormals denormals, uint32_t a_bits, uint32_t b_bits) {
  // A product is an fma whose addend is the zero of the product's sign, which changes no value and no sign.
  const uint32_t sign = (a_bits ^ b_bits) & format.sign_bit();
  return scalar_fma(format, denormals, a_bits, b_bits, sign);
}

uint32_t scalar_add(const FloatFormat& format, Denormals denormals, uint32_t a_bits, uint32_t b_bits) {
  const uint32_t one = static_cast<uint32_t>(format.bias) << format.mantissa_bits;
  return scalar_fma(format, denormals, a_bits, one, b_bits);
}

uint32_t scalar_max(const FloatFormat& format, Denormals denormals, uint32_t a_bits, uint32_t b_bits) {
  const uint32_t a = prepared(format, denormals, a_bits);
  const uint32_t b = prepared(format, denormals, b_bits);
  if (is_nan(format, a)) return is_nan(format, b) ? format.nan : b;
  if (is_nan(format, b)) return a;
  return order_key(format, a) >= order_key(format, b) ? a : b;
}

uint32_t scalar_min(const FloatFormat& format, Denormals denormals, uint32_t a_bits, uint32_t b_bits) {
  const uint32_t a = prepared(format, denormals, a_bits);
  const uint32_t b = prepared(format, denormals, b_bits);
  if (is_nan(format, a)) return is_nan(format, b) ? format.nan : b;
  if (is_nan(format, b)) return a;
  return order_key(format, a) <= order_key(format, b) ? a : b;
}

}  // namespace xqacheck::arith::plain
