// Conversions against a search over all values of a format: nearest, ties to the even code.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/formats.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::reference;

namespace {

constexpr Dtype kAll[] = {Dtype::fp16, Dtype::bf16, Dtype::int8, Dtype::e4m3};

unsigned codes(Dtype dtype) {
  return bytes_of(dtype) == 2 ? 65536 : 256;
}

// Value of a float's bits by the textbook formula, with std::ldexp: 1.f * 2^(e - bias) or 0.f * 2^(1 - bias).
double textbook(Dtype dtype, unsigned bits) {
  if (dtype == Dtype::int8) return bits < 128 ? double(bits) : double(bits) - 256;
  const int fraction_bits = dtype == Dtype::fp16 ? 10 : dtype == Dtype::bf16 ? 7 : 3;
  const int exponent_bits = dtype == Dtype::fp16 ? 5 : dtype == Dtype::bf16 ? 8 : 4;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned fraction = bits & ((1u << fraction_bits) - 1),
                 exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
  const double sign = bits >> (fraction_bits + exponent_bits) ? -1 : 1;
  if (dtype == Dtype::e4m3 && (bits & 0x7F) == 0x7F) return std::nan("");
  if (dtype != Dtype::e4m3 && exponent == (1u << exponent_bits) - 1) return fraction ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1u << fraction_bits) + fraction, static_cast<int>(exponent) - bias - fraction_bits);
}

// What a stored row holds after the fast path.
unsigned stored(Dtype dtype, float value) {
  std::byte bytes[2] = {};
  encode_row(dtype, &value, 1, 1.0f, bytes);
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, bytes_of(dtype));
  return bits;
}

void check_both(Dtype dtype, double value, unsigned expected) {
  INFO("format " << int(dtype) << " value " << value);
  CHECK(encode(dtype, value) == expected);
  if (double(float(value)) == value) CHECK(stored(dtype, float(value)) == expected);
}

}  // namespace

TEST_CASE("every code of every format has its textbook value and survives", "[data]") {
  for (Dtype dtype : kAll) {
    for (unsigned bits = 0; bits < codes(dtype); ++bits) {
      const double value = decode(dtype, static_cast<std::uint16_t>(bits));
      const double expected = textbook(dtype, bits);
      if (std::isnan(expected)) {
        REQUIRE(std::isnan(value));
        continue;
      }
      REQUIRE(value == expected);
      REQUIRE(std::signbit(value) == std::signbit(expected));
      REQUIRE(encode(dtype, value) == bits);
      REQUIRE(stored(dtype, float(value)) == bits);
    }
  }
}

TEST_CASE("values between two neighbours round to the nearer one, ties to even", "[data]") {
  for (Dtype dtype : kAll) {
    // Positive finite codes in ascending order; they are consecutive integers in every format.
    for (unsigned bits = 0; textbook(dtype, bits + 1) <= largest(dtype) && bits + 1 < codes(dtype) / 2; ++bits) {
      const double low = textbook(dtype, bits), high = textbook(dtype, bits + 1), middle = (low + high) / 2;
      const unsigned even = bits % 2 == 0 ? bits : bits + 1;
      const double step = (high - low) / 4096;  // far above an ulp of the double, below any fp32 tie
      REQUIRE(encode(dtype, middle) == even);
      REQUIRE(encode(dtype, middle - step) == bits);
      REQUIRE(encode(dtype, middle + step) == bits + 1);
      for (double value : {middle, middle - step, middle + step}) {
        if (double(float(value)) == value) REQUIRE(stored(dtype, float(value)) == encode(dtype, value));
      }
    }
  }
}

TEST_CASE("overflow, infinities and NaN", "[data]") {
  const double inf = std::numeric_limits<double>::infinity();
  check_both(Dtype::fp16, 65519.996, 0x7BFF);
  check_both(Dtype::fp16, 65520, 0x7C00);
  check_both(Dtype::fp16, -inf, 0xFC00);
  check_both(Dtype::bf16, 0x1.FEp127, 0x7F7F);
  check_both(Dtype::bf16, 0x1.FFp127, 0x7F80);
  check_both(Dtype::bf16, inf, 0x7F80);
  check_both(Dtype::e4m3, 449, 0x7E);
  check_both(Dtype::e4m3, -1e30, 0xFE);
  check_both(Dtype::e4m3, inf, 0x7E);
  check_both(Dtype::int8, 127.5, 127);
  check_both(Dtype::int8, -128.5, 0x80);
  check_both(Dtype::int8, -inf, 0x80);
  check_both(Dtype::int8, 2.5, 2);
  check_both(Dtype::int8, -3.5, 0xFC);
  const double nan = std::nan("");
  CHECK(encode(Dtype::int8, nan) == 0);
  CHECK(stored(Dtype::int8, float(nan)) == 0);
  for (Dtype dtype : {Dtype::fp16, Dtype::bf16, Dtype::e4m3}) {
    CHECK(std::isnan(textbook(dtype, encode(dtype, nan))));
    CHECK(std::isnan(textbook(dtype, stored(dtype, float(nan)))));
    CHECK(std::isnan(textbook(dtype, bytes_of(dtype) == 2 ? 0xFFFF : 0xFF)));  // poison is NaN
  }
}

TEST_CASE("the fast path agrees with the definition on a sweep of all exponents", "[data]") {
  for (Dtype dtype : kAll) {
    std::uint32_t bits = 12345;
    for (int i = 0; i < 200000; ++i) {
      bits = bits * 1664525u + 1013904223u;  // any floats will do
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      if (std::isnan(value)) continue;
      REQUIRE(stored(dtype, value) == encode(dtype, value));
    }
  }
}

TEST_CASE("rows are divided by their scale", "[data]") {
  const float values[] = {1, -3, 0.1f};
  std::byte out[3];
  encode_row(Dtype::int8, values, 3, 0.1f, out);
  CHECK(std::to_integer<int>(out[0]) == 10);
  CHECK(std::to_integer<int>(out[1]) == 256 - 30);
  CHECK(std::to_integer<int>(out[2]) == 1);
  float back[3];
  decode_row(Dtype::int8, out, 3, back);
  CHECK(back[1] == -30);
}
