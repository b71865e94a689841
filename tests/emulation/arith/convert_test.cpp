// Conversions against the oracle: all narrow inputs, f32 sources by a stride (all 2^32 nightly), and the answers of the
// hardware that no rounding rule gives (NaN, overflow).
#include "emulation/arith/plain/convert.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "emulation/arith/array.hpp"
#include "emulation/arith/packed.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/arith/oracle.hpp"

namespace xqacheck::arith {
namespace {

constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kLastFinite = kInfinity - 1;

struct Target {
  const char* name;
  const FloatFormat& format;
  uint32_t saturated;  // what overflow and infinity give
  uint32_t (*plain)(uint32_t);
  void (*fast)(const uint32_t*, uint32_t*, size_t);
};

template <class T>
void widened(const uint32_t* x, uint32_t* out, size_t n, void (*array)(const uint32_t*, T*, size_t)) {
  std::vector<T> narrow(n);
  array(x, narrow.data(), n);
  for (size_t i = 0; i < n; ++i) out[i] = narrow[i];
}

const Target kTargets[] = {
    {"e4m3", kE4m3, 0x7e, [](uint32_t x) -> uint32_t { return plain::cvt_rn_satfinite_e4m3_f32(x); },
     [](const uint32_t* x, uint32_t* out, size_t n) { widened<uint8_t>(x, out, n, f32_to_e4m3_array); }},
    {"f16", kF16, 0x7c00, [](uint32_t x) -> uint32_t { return plain::cvt_rn_f16_f32(x); },
     [](const uint32_t* x, uint32_t* out, size_t n) { widened<uint16_t>(x, out, n, f32_to_f16_array); }},
    {"bf16", kBf16, 0x7f80, [](uint32_t x) -> uint32_t { return plain::cvt_rn_bf16_f32(x); },
     [](const uint32_t* x, uint32_t* out, size_t n) { widened<uint16_t>(x, out, n, f32_to_bf16_array); }}};

// Differences of both forms from the oracle over the magnitudes first, first + stride, ..., both signs.
uint64_t differences(const Target& target, const NearestOracle& oracle, uint32_t stride) {
  constexpr uint64_t kChunk = 1 << 16;
  const uint64_t steps = (uint64_t{1} << 31) / stride;
  const auto chunks = static_cast<int64_t>((steps + kChunk - 1) / kChunk);
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<uint32_t> x, expected;
    uint32_t pattern =
        oracle.nearest(magnitude_of_f32(static_cast<uint32_t>(static_cast<uint64_t>(chunk) * kChunk * stride)));
    for (uint64_t i = static_cast<uint64_t>(chunk) * kChunk; i < steps && x.size() < 2 * kChunk; ++i) {
      const auto magnitude = static_cast<uint32_t>(i * stride);
      uint32_t result = target.format.nan;
      uint32_t negative = target.format.nan;
      if (magnitude <= kInfinity) {
        if (magnitude <= kLastFinite) pattern = oracle.nearest_from(pattern, magnitude_of_f32(magnitude));
        const bool overflow = magnitude == kInfinity || pattern == oracle.overflow_pattern();
        result = overflow ? target.saturated : pattern;
        negative = result | target.format.sign_bit();
      }
      x.push_back(magnitude);
      expected.push_back(result);
      x.push_back(magnitude | 0x80000000);
      expected.push_back(negative);
    }
    std::vector<uint32_t> fast(x.size());
    target.fast(x.data(), fast.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      count += fast[i] != expected[i] || target.plain(x[i]) != expected[i] ? 1 : 0;
    }
  }
  return count;
}

TEST_CASE("f32 to e4m3, f16 and bf16 round to nearest even: a stride over all inputs") {
  for (const Target& target : kTargets) {
    INFO(target.name);
    CHECK(differences(target, NearestOracle(target.format), 1021) == 0);  // a prime
  }
}

TEST_CASE("f32 to e4m3, f16 and bf16 round to nearest even: all inputs", "[nightly]") {
  for (const Target& target : kTargets) {
    const uint64_t count = differences(target, NearestOracle(target.format), 1);
    fmt::print("f32 to {}: 4294967296 inputs, {} differences\n", target.name, count);
    CHECK(count == 0);
  }
}

TEST_CASE("around every rounding boundary of e4m3 and f16") {
  for (const Target& target : {kTargets[0], kTargets[1]}) {
    const NearestOracle oracle(target.format);
    // Patterns next to each target value and each midpoint: the low bits all zero or all one.
    for (uint32_t magnitude = 0; magnitude < kInfinity; magnitude += 1 << 12) {
      for (const uint32_t x : {magnitude, magnitude + 1, magnitude + 0xfff}) {
        const uint32_t pattern = oracle.nearest(magnitude_of_f32(x));
        const uint32_t expected = pattern == oracle.overflow_pattern() ? target.saturated : pattern;
        REQUIRE(target.plain(x) == expected);
      }
    }
  }
}

TEST_CASE("narrow to wide is exact, all inputs") {
  const auto same_value = [](const FloatFormat& format, uint32_t narrow, const FloatFormat& wide, uint32_t result) {
    // Value by definition: fields of both sides as exact dyadics.
    const Decoded x = decode(format, narrow);
    const Decoded y = decode(wide, result);
    const Dyadic a{x.mantissa, x.exponent - format.mantissa_bits};
    const Dyadic b{y.mantissa, y.exponent - wide.mantissa_bits};
    return x.kind == y.kind && x.negative == y.negative && compare(a, b) == 0;
  };
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    if (is_nan(kF16, bits)) {
      REQUIRE(plain::cvt_f32_f16(bits) == 0x7fffffff);
    } else {
      REQUIRE(same_value(kF16, bits, kF32, plain::cvt_f32_f16(bits)));
    }
    REQUIRE(plain::cvt_f32_bf16(bits) == i << 16);
  }
  for (uint32_t i = 0; i < 0x100; ++i) {
    const auto bits = static_cast<uint8_t>(i);
    if ((i & 0x7f) == 0x7f) {
      REQUIRE(plain::cvt_f32_e4m3(bits) == 0x7fffffff);
      REQUIRE(plain::cvt_f16_e4m3(bits) == 0x7fff);
      REQUIRE(plain::cvt_bf16_e4m3(bits) == 0x7fff);
    } else {
      REQUIRE(same_value(kE4m3, bits, kF32, plain::cvt_f32_e4m3(bits)));
      REQUIRE(same_value(kE4m3, bits, kF16, plain::cvt_f16_e4m3(bits)));
      REQUIRE(same_value(kE4m3, bits, kBf16, plain::cvt_bf16_e4m3(bits)));
    }
  }
}

TEST_CASE("f16 to e4m3: as if widened first, all inputs") {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    REQUIRE(plain::cvt_rn_satfinite_e4m3_f16(bits) == plain::cvt_rn_satfinite_e4m3_f32(plain::cvt_f32_f16(bits)));
  }
}

TEST_CASE("e4m3 at its edges, as the hardware answers") {
  using plain::cvt_rn_satfinite_e4m3_f32;
  CHECK(cvt_rn_satfinite_e4m3_f32(0x3a800000) == 0x00);  // 2^-10, half of the smallest: to even, zero
  CHECK(cvt_rn_satfinite_e4m3_f32(0x3a800001) == 0x01);
  CHECK(cvt_rn_satfinite_e4m3_f32(0x80000000) == 0x80);  // -0
  CHECK(cvt_rn_satfinite_e4m3_f32(0x43e7ffff) == 0x7e);  // below 464
  CHECK(cvt_rn_satfinite_e4m3_f32(0x43e80000) == 0x7e);  // 464
  CHECK(cvt_rn_satfinite_e4m3_f32(0xff800000) == 0xfe);  // -inf
  CHECK(cvt_rn_satfinite_e4m3_f32(0xffc00000) == 0x7f);  // NaN: sign lost
  CHECK(plain::cuda_float_to_e4m3_nosat(0x43e80000) == 0x7e);
  CHECK(plain::cuda_float_to_e4m3_nosat(0x43e80001) == 0x7f);
  CHECK(plain::cuda_float_to_e4m3_nosat(0xc3e80001) == 0xff);
  CHECK(plain::cuda_float_to_e4m3_nosat(0xff800000) == 0xff);
  CHECK(plain::cuda_float_to_e4m3_nosat(0xffc00000) == 0x7f);
}

TEST_CASE("nosat differs from satfinite beyond 464 only") {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 65521) {
    const auto x = static_cast<uint32_t>(bits);
    const uint32_t magnitude = x & 0x7fffffff;
    const bool beyond = magnitude > 0x43e80000 && magnitude <= kInfinity;
    const uint8_t expected = beyond ? static_cast<uint8_t>(0x7f | x >> 31 << 7) : plain::cvt_rn_satfinite_e4m3_f32(x);
    REQUIRE(plain::cuda_float_to_e4m3_nosat(x) == expected);
  }
}

TEST_CASE("toward zero: the pattern at or below") {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 40009) {
    const auto x = static_cast<uint32_t>(bits);
    const uint32_t magnitude = x & 0x7fffffff;
    const uint32_t sign = x >> 31 << 15;
    const uint32_t bf16 = plain::cvt_rz_bf16_f32(x);
    const uint32_t f16 = plain::cvt_rz_f16_f32(x);
    if (magnitude > kInfinity) {
      REQUIRE(bf16 == 0x7fff);
      REQUIRE(f16 == 0x7fff);
      continue;
    }
    REQUIRE(bf16 == x >> 16);  // truncation of the pattern itself
    if (magnitude == kInfinity) continue;
    const Dyadic value = magnitude_of_f32(magnitude);
    const uint32_t found = f16 & 0x7fff;
    REQUIRE((f16 & 0x8000) == sign);
    REQUIRE(found < 0x7c00);
    REQUIRE(compare(magnitude_of_f32(plain::cvt_f32_f16(static_cast<uint16_t>(found))), value) <= 0);
    if (found < 0x7bff)
      REQUIRE(compare(magnitude_of_f32(plain::cvt_f32_f16(static_cast<uint16_t>(found + 1))), value) > 0);
  }
}

TEST_CASE("integers") {
  for (int i = -128; i < 128; ++i) {
    const float value = static_cast<float>(i);
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    REQUIRE(plain::cvt_rn_f32_s32(i) == bits);
    REQUIRE(plain::cvt_rn_f16_s32(i) == plain::cvt_rn_f16_f32(bits));
    REQUIRE(plain::cvt_rn_bf16_s32(i) == plain::cvt_rn_bf16_f32(bits));
    REQUIRE(plain::cvt_rni_sat_s8_f32(bits) == i);
  }
  CHECK(plain::cvt_rn_f32_s32(INT32_MIN) == 0xcf000000);
  CHECK(plain::cvt_rn_f32_s32(16777217) == 0x4b800000);  // tie to even
  CHECK(plain::cvt_rn_f16_s32(65520) == 0x7c00);
  CHECK(plain::cvt_rni_sat_s8_f32(0x3f000000) == 0);     // 0.5 to even
  CHECK(plain::cvt_rni_sat_s8_f32(0x3fc00000) == 2);     // 1.5 to even
  CHECK(plain::cvt_rni_sat_s8_f32(0x42ff0000) == 127);   // 127.5
  CHECK(plain::cvt_rni_sat_s8_f32(0xc3010000) == -128);  // -129
  CHECK(plain::cvt_rni_sat_s8_f32(0x7f800000) == 127);
  CHECK(plain::cvt_rni_sat_s8_f32(0xff800000) == -128);
  CHECK(plain::cvt_rni_sat_s8_f32(0x7fc00000) == 0);
}

TEST_CASE("packed forms: the first source is the high half") {
  CHECK(cvt_rn_f16x2_f32(0x3f800000, 0x40000000) == 0x3c004000);
  CHECK(cvt_rn_bf16x2_f32(0x3f800000, 0x40000000) == 0x3f804000);
  CHECK(cvt_rn_satfinite_e4m3x2_f32(0x3f800000, 0x40000000) == 0x3840);
  CHECK(cvt_rn_satfinite_e4m3x2_f16x2(0x3c004000) == 0x3840);
  CHECK(cvt_rn_f16x2_e4m3x2(0x3840) == 0x3c004000);
  CHECK(mul_rn_f16x2(0x3c004000, 0x42004400) == 0x42004800);
  CHECK(fma_rn_bf16x2(0x3f804000, 0x40404080, 0x3f803f80) == 0x40804110);
}

}  // namespace
}  // namespace xqacheck::arith
