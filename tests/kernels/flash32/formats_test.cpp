// The kernel's own conversions against definitions written in another style: ldexp for decoding, exhaustive neighbours
// and midpoints for rounding.
#include "kernels/flash32/formats.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

using namespace xqacheck::kernels::flash32;

namespace {

// Value of a sign/exponent/fraction pattern by definition.
double by_definition(unsigned bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                         : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return (bits >> (exponent_bits + fraction_bits) & 1u) != 0 ? -magnitude : magnitude;
}

// All neighbours a < b of the format, given as patterns of non-negative values: the values themselves, the midpoint and
// the fp32 numbers next to the midpoint must round as nearest-even says.
template <class Decode, class Encode>
void check_rounding(unsigned largest, Decode from, Encode to) {
  unsigned wrong = 0;
  for (unsigned a = 0; a < largest; ++a) {
    const float low = from(a), high = from(a + 1), middle = 0.5f * low + 0.5f * high;
    const float below = std::nextafter(middle, 0.0f),
                above = std::nextafter(middle, std::numeric_limits<float>::infinity());
    wrong += to(low) != a;
    wrong += to(below) != a;
    wrong += to(middle) != (a % 2 == 0 ? a : a + 1);
    wrong += to(above) != a + 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("flash32 decodes every fp16, bf16 and e4m3 pattern") {
  unsigned wrong = 0;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float half = from_fp16(static_cast<std::uint16_t>(bits)), brain = from_bf16(static_cast<std::uint16_t>(bits));
    if ((bits & 0x7c00u) != 0x7c00u)
      wrong += half != static_cast<float>(by_definition(bits, 5, 10));
    else if ((bits & 0x3ffu) != 0)
      wrong += !std::isnan(half);
    else
      wrong += !std::isinf(half) || std::signbit(half) != (bits >> 15 != 0);
    if ((bits & 0x7f80u) != 0x7f80u)
      wrong += brain != static_cast<float>(by_definition(bits, 8, 7));
    else
      wrong += (bits & 0x7fu) != 0 ? !std::isnan(brain) : !std::isinf(brain);
  }
  for (unsigned bits = 0; bits < 0x100; ++bits) {
    const float value = from_e4m3(static_cast<std::uint8_t>(bits));
    if ((bits & 0x7fu) == 0x7fu)
      wrong += !std::isnan(value);
    else
      wrong += value != static_cast<float>(by_definition(bits, 4, 3));
  }
  CHECK(wrong == 0);
}

TEST_CASE("flash32 rounds to nearest even") {
  check_rounding(
      0x7bff, [](unsigned b) { return from_fp16(static_cast<std::uint16_t>(b)); }, [](float v) { return to_fp16(v); });
  check_rounding(
      0x7f7f, [](unsigned b) { return from_bf16(static_cast<std::uint16_t>(b)); }, [](float v) { return to_bf16(v); });
  check_rounding(
      0x7e, [](unsigned b) { return from_e4m3(static_cast<std::uint8_t>(b)); }, [](float v) { return to_e4m3(v); });
}

TEST_CASE("flash32 encodes the ends of the formats") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(to_fp16(65519.996f) == 0x7bff);
  CHECK(to_fp16(65520.0f) == 0x7c00);
  CHECK(to_fp16(-inf) == 0xfc00);
  CHECK(std::isnan(from_fp16(to_fp16(nan))));
  CHECK(to_bf16(3.4e38f) == 0x7f80);  // beyond the last midpoint
  CHECK(to_bf16(-inf) == 0xff80);
  CHECK(
      std::isnan(from_bf16(to_bf16(std::bit_cast<float>(0x7f800001u)))));  // a NaN whose upper half looks like infinity
  CHECK(to_e4m3(449.0f) == 0x7e);
  CHECK(to_e4m3(-inf) == 0xfe);
  CHECK((to_e4m3(nan) & 0x7f) == 0x7f);
  CHECK(to_e4m3(-0.0f) == 0x80);
  CHECK(to_fp16(-0.0f) == 0x8000);
}
