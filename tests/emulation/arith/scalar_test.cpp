// f32, f16 and bf16 scalars against the host's IEEE arithmetic, and the .ftz rule against exact products.
#include "emulation/arith/scalar.hpp"

#include <cmath>
#include <cstring>

#include "emulation/arith/probe/draw.h"
#include "tests/catch.hpp"
#include "tests/emulation/arith/oracle.hpp"

namespace xqacheck::arith {
namespace {

constexpr uint32_t kNan = 0x7fffffff;
constexpr uint64_t kSamples = 400000;

float as_float(uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Bits of a result, with the NaN that the GPU writes.
uint32_t as_bits(float value) {
  if (std::isnan(value)) return kNan;
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

TEST_CASE("f32 IEEE forms equal the host's, denormals included") {
  for (uint64_t i = 0; i < kSamples; ++i) {
    const uint32_t a = draw::f32_operand(0, i), b = draw::f32_operand(1, i), c = draw::f32_operand(2, i);
    const float x = as_float(a), y = as_float(b), z = as_float(c);
    REQUIRE(add_rn_f32(a, b) == as_bits(x + y));
    REQUIRE(sub_rn_f32(a, b) == as_bits(x - y));
    REQUIRE(mul_rn_f32(a, b) == as_bits(x * y));
    REQUIRE(div_rn_f32(a, b) == as_bits(x / y));
    REQUIRE(rcp_rn_f32(a) == as_bits(1.0f / x));
    REQUIRE(sqrt_rn_f32(a) == as_bits(std::sqrt(x)));
    REQUIRE(fma_rn_f32(a, b, c) == as_bits(std::fma(x, y, z)));
  }
}

uint32_t flush(uint32_t x) {
  return (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}

TEST_CASE(".ftz flushes inputs, and results that are tiny after rounding with unlimited exponent") {
  size_t edges = 0;
  for (uint64_t i = 0; i < kSamples; ++i) {
    const uint32_t a = draw::f32_operand(0, i), b = draw::f32_operand(1, i);
    const uint32_t result = mul_rn_ftz_f32(a, b);
    const float x = as_float(flush(a)), y = as_float(flush(b));
    const double exact = static_cast<double>(x) * static_cast<double>(y);  // 48 bits: exact
    if (!std::isfinite(exact) || exact == 0) {
      REQUIRE(result == as_bits(x * y));
      continue;
    }
    // Times 2^128 a tiny product is a normal f32: rounding it there is rounding with unlimited exponent.
    const bool small = std::fabs(exact) < 0x1p-100;
    const float rounded = static_cast<float>(exact * (small ? 0x1p128 : 1.0));
    const bool flushed = small && std::fabs(rounded) < 0x1p2f;
    REQUIRE(result == (flushed ? as_bits(std::copysign(0.0f, rounded)) : as_bits(x * y)));
    edges += flushed && std::fabs(x * y) == 0x1p-126f ? 1 : 0;
  }
  CHECK(edges > 0);  // the case where "flush when the IEEE result is below 2^-126" would be wrong
}

TEST_CASE(".ftz add: sums of flushed inputs are exact where they are tiny") {
  for (uint64_t i = 0; i < kSamples; ++i) {
    const uint32_t a = draw::f32_operand(0, i), b = draw::f32_operand(1, i);
    REQUIRE(add_rn_ftz_f32(a, b) == flush(as_bits(as_float(flush(a)) + as_float(flush(b)))));
  }
}

TEST_CASE(".ftz fma at the edge of the normal range") {
  // (1 - 2^-24) * 2^-126: IEEE rounds up to 2^-126, exactly representable in 24 bits below it: flushed.
  const uint32_t below_one = 0x3f7fffff, smallest = 0x00800000;
  CHECK(mul_rn_f32(below_one, smallest) == 0x00800000);
  CHECK(mul_rn_ftz_f32(below_one, smallest) == 0);
  CHECK(fma_rn_ftz_f32(below_one, smallest, 0x80000000) == 0);
  CHECK(fma_rn_ftz_f32(below_one | 0x80000000, smallest, 0x80000000) == 0x80000000);
  // A little more, (1 - 2^-24)(1 + 2^-23) 2^-126 = (1 + 2^-24 - 2^-47) 2^-126, is not tiny.
  CHECK(mul_rn_ftz_f32(below_one, 0x00800001) == 0x00800000);
  CHECK(fma_rn_ftz_f32(1, 0x7f000000, smallest) == smallest);  // a denormal factor counts as zero
  CHECK(fma_rn_f32(1, 0x7f000000, smallest) != smallest);
}

TEST_CASE("max and min") {
  const uint32_t plus_zero = 0, minus_zero = 0x80000000, one = 0x3f800000, other_nan = 0xffc00001, tiny = 1;
  CHECK(max_f32(plus_zero, minus_zero) == plus_zero);
  CHECK(max_f32(minus_zero, plus_zero) == plus_zero);
  CHECK(min_f32(plus_zero, minus_zero) == minus_zero);
  CHECK(min_f32(minus_zero, plus_zero) == minus_zero);
  CHECK(max_f32(other_nan, one) == one);
  CHECK(min_f32(one, other_nan) == one);
  CHECK(max_f32(other_nan, other_nan) == kNan);
  CHECK(max_f32(tiny, plus_zero) == tiny);
  CHECK(max_ftz_f32(tiny, minus_zero) == plus_zero);
  CHECK(min_ftz_f32(0x80000001, plus_zero) == minus_zero);
  for (uint64_t i = 0; i < 100000; ++i) {
    const uint32_t a = draw::f32_operand(0, i), b = draw::f32_operand(1, i);
    const float x = as_float(a), y = as_float(b);
    if (std::isnan(x) || std::isnan(y) || x == y) continue;
    REQUIRE(max_f32(a, b) == as_bits(x > y ? x : y));
    REQUIRE(min_f32(a, b) == as_bits(x < y ? x : y));
  }
}

// A finite double as magnitude m * 2^e.
Dyadic dyadic_of(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  return {static_cast<uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

// f64 holds products of 16-bit floats exactly; sums it rounds so far down (53 >= 2p + 2 bits) that a second rounding
// does no harm.
uint32_t rounded(const FloatFormat& format, const NearestOracle& oracle, double value) {
  if (std::isnan(value)) return format.nan;
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  return sign | (std::isinf(value) ? format.infinity() : oracle.nearest(dyadic_of(value)));
}

double value_of(bool is_bf16, uint16_t bits) {
  return static_cast<double>(as_float(is_bf16 ? cvt_f32_bf16(bits) : cvt_f32_f16(bits)));
}

TEST_CASE("f16 and bf16 add and multiply round once") {
  for (const bool is_bf16 : {false, true}) {
    const FloatFormat& format = is_bf16 ? kBf16 : kF16;
    const NearestOracle oracle(format);
    for (uint64_t i = 0; i < kSamples; ++i) {
      const uint64_t r = draw::mix(i);
      const auto a = static_cast<uint16_t>(r);
      // Every fourth partner cancels the first operand but for a few low bits.
      const auto b = static_cast<uint16_t>(i % 4 == 0 ? (a ^ 0x8000) + (r >> 16) % 8 : r >> 16);
      const double x = value_of(is_bf16, a), y = value_of(is_bf16, b);
      REQUIRE((is_bf16 ? mul_rn_bf16(a, b) : mul_rn_f16(a, b)) == rounded(format, oracle, x * y));
      REQUIRE((is_bf16 ? add_rn_bf16(a, b) : add_rn_f16(a, b)) == rounded(format, oracle, x + y));
      REQUIRE((is_bf16 ? sub_rn_bf16(a, b) : sub_rn_f16(a, b)) == rounded(format, oracle, x - y));
    }
  }
}

TEST_CASE("f16 fma rounds once: where the exact sum fits f64") {
  const NearestOracle oracle(kF16);
  size_t tried = 0;
  for (uint64_t i = 0; i < kSamples; ++i) {
    const uint64_t r = draw::mix(i + 77);
    const auto a = static_cast<uint16_t>(r), b = static_cast<uint16_t>(r >> 16), c = static_cast<uint16_t>(r >> 32);
    const double x = value_of(false, a), y = value_of(false, b), z = value_of(false, c);
    const double sum = x * y + z;
    // Exact iff subtracting either addend gives the other back.
    if (std::isfinite(sum) && (sum - x * y != z || sum - z != x * y)) continue;
    ++tried;
    REQUIRE(fma_rn_f16(a, b, c) == rounded(kF16, oracle, sum));
  }
  CHECK(tried > kSamples / 2);
}

}  // namespace
}  // namespace xqacheck::arith
