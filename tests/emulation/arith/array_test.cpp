// Array functions against the plain forms on every vector unit: f32 .ftz arithmetic, conversions, 16-bit arithmetic.
#include "emulation/arith/array.hpp"

#include <cstring>
#include <vector>

#include "emulation/arith/plain/convert.hpp"
#include "emulation/arith/plain/f32.hpp"
#include "emulation/arith/plain/half.hpp"
#include "emulation/arith/probe/draw.h"
#include "tests/catch.hpp"
#include "tests/emulation/arith/targets.hpp"

namespace xqacheck::arith {
namespace {

std::vector<uint32_t> f32_operands(size_t n, uint32_t which) {
  std::vector<uint32_t> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = draw::f32_operand(which, i);
  return x;
}

constexpr size_t kSamples = 300007;  // prime, so that the tail is exercised

TEST_CASE("f32 .ftz arrays equal the plain form on every vector unit") {
  const auto a = f32_operands(kSamples, 0);
  const auto b = f32_operands(kSamples, 1);
  const auto c = f32_operands(kSamples, 2);
  std::vector<uint32_t> fma(kSamples), mul(kSamples), add(kSamples), sub(kSamples), max(kSamples);
  for (size_t i = 0; i < kSamples; ++i) {
    fma[i] = plain::fma_rn_ftz_f32(a[i], b[i], c[i]);
    mul[i] = plain::mul_rn_ftz_f32(a[i], b[i]);
    add[i] = plain::add_rn_ftz_f32(a[i], b[i]);
    sub[i] = plain::sub_rn_ftz_f32(a[i], b[i]);
    max[i] = plain::max_ftz_f32(a[i], b[i]);
  }
  for_each_target([&](const char* target) {
    INFO(target);
    std::vector<uint32_t> out(kSamples);
    fma_ftz_array(a.data(), b.data(), c.data(), out.data(), kSamples);
    CHECK((out == fma));
    mul_ftz_array(a.data(), b.data(), out.data(), kSamples);
    CHECK((out == mul));
    add_ftz_array(a.data(), b.data(), out.data(), kSamples);
    CHECK((out == add));
    sub_ftz_array(a.data(), b.data(), out.data(), kSamples);
    CHECK((out == sub));
    max_ftz_array(a.data(), b.data(), out.data(), kSamples);
    CHECK((out == max));
    out = a;  // in place
    mul_ftz_array(out.data(), b.data(), out.data(), kSamples);
    CHECK((out == mul));
  });
}

TEST_CASE("one value for every element") {
  const auto a = f32_operands(1001, 0);
  const auto c = f32_operands(1001, 2);
  const uint32_t b = 0x3fb8aa3b, d = 0xbf123456;
  for_each_target([&](const char* target) {
    INFO(target);
    std::vector<uint32_t> out(a.size());
    fma_ftz_array(a.data(), b, d, out.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == plain::fma_rn_ftz_f32(a[i], b, d));
    fma_ftz_array(a.data(), b, c.data(), out.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == plain::fma_rn_ftz_f32(a[i], b, c[i]));
    sub_ftz_array(a.data(), b, out.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == plain::sub_rn_ftz_f32(a[i], b));
    add_ftz_array(a.data(), b, out.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == plain::add_rn_ftz_f32(a[i], b));
    mul_ftz_array(a.data(), b, out.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == plain::mul_rn_ftz_f32(a[i], b));
    max_ftz_array(a.data(), b, out.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) REQUIRE(out[i] == plain::max_ftz_f32(a[i], b));
  });
}

TEST_CASE("the maximum of an array is the maximum taken one by one") {
  const auto a = f32_operands(300, 1);
  const std::vector<uint32_t> nans(40, 0xffc00001);
  for_each_target([&](const char* target) {
    INFO(target);
    for (size_t n = 0; n <= a.size(); ++n) {
      uint32_t expected = 0xff800000;
      for (size_t i = 0; i < n; ++i) expected = plain::max_ftz_f32(expected, a[i]);
      REQUIRE(max_ftz_reduce(0xff800000, a.data(), n) == expected);
    }
    CHECK(max_ftz_reduce(0x7fc00000, nans.data(), nans.size()) == 0x7fffffff);
    CHECK(max_ftz_reduce(0x3f800000, nans.data(), nans.size()) == 0x3f800000);
  });
}

template <class From, class To, class Plain>
void expect_same(const char* name, const std::vector<From>& x, void (*array)(const From*, To*, size_t), Plain plain) {
  std::vector<To> out(x.size());
  array(x.data(), out.data(), x.size());
  size_t count = 0;
  for (size_t i = 0; i < x.size(); ++i) count += out[i] != static_cast<To>(plain(x[i])) ? 1 : 0;
  INFO(name);
  CHECK(count == 0);
}

template <class T>
std::vector<T> every_pattern() {
  std::vector<T> x;
  for (uint32_t i = 0; i < 1u << (8 * sizeof(T)); ++i) x.push_back(static_cast<T>(i));
  return x;
}

TEST_CASE("conversion arrays equal the plain form: all narrow inputs, f32 samples") {
  std::vector<uint32_t> f32;
  // A prime stride over all patterns, and neighbourhoods of every rounding edge of e4m3 and f16.
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4099) f32.push_back(static_cast<uint32_t>(bits));
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 1 << 12) {
    for (uint32_t offset = 0; offset < 3; ++offset) f32.push_back(static_cast<uint32_t>(bits) + offset - 1);
  }
  for_each_target([&](const char* target) {
    INFO(target);
    expect_same("f32 to f16", f32, f32_to_f16_array, plain::cvt_rn_f16_f32);
    expect_same("f32 to bf16", f32, f32_to_bf16_array, plain::cvt_rn_bf16_f32);
    expect_same("f32 to e4m3", f32, f32_to_e4m3_array, plain::cvt_rn_satfinite_e4m3_f32);
    expect_same("f16 to e4m3", every_pattern<uint16_t>(), f16_to_e4m3_array, plain::cvt_rn_satfinite_e4m3_f16);
    expect_same("f16 to f32", every_pattern<uint16_t>(), f16_to_f32_array, plain::cvt_f32_f16);
    expect_same("bf16 to f32", every_pattern<uint16_t>(), bf16_to_f32_array, plain::cvt_f32_bf16);
    expect_same("e4m3 to f32", every_pattern<uint8_t>(), e4m3_to_f32_array, plain::cvt_f32_e4m3);
    expect_same("e4m3 to f16", every_pattern<uint8_t>(), e4m3_to_f16_array, plain::cvt_f16_e4m3);
    expect_same("e4m3 to bf16", every_pattern<uint8_t>(), e4m3_to_bf16_array, plain::cvt_bf16_e4m3);
    expect_same("s8 to f16", every_pattern<int8_t>(), s8_to_f16_array, plain::cvt_rn_f16_s32);
    expect_same("s8 to bf16", every_pattern<int8_t>(), s8_to_bf16_array, plain::cvt_rn_bf16_s32);
    expect_same("s8 to f32", every_pattern<int8_t>(), s8_to_f32_array, plain::cvt_rn_f32_s32);
  });
}

TEST_CASE("16-bit arithmetic arrays equal the plain form") {
  // All first operands against second operands that a hash picks, several times.
  for (uint32_t round = 0; round < 6; ++round) {
    const auto a = every_pattern<uint16_t>();
    std::vector<uint16_t> b(a.size());
    for (size_t i = 0; i < b.size(); ++i) {
      const auto r = static_cast<uint32_t>(draw::mix(i * 8 + round));
      // Rounds 2 to 5: partners near 1, near -a (cancellation), the specials, tiny ones.
      b[i] = static_cast<uint16_t>(round < 2    ? r
                                   : round == 2 ? 0x3c00 ^ (r & 0x83ff)
                                   : round == 3 ? (a[i] ^ 0x8000) + r % 8
                                   : round == 4 ? (r % 2 << 15) | (r & 2 ? 0x7c00 : 0x7f80)
                                                : r & 0x81ff);
    }
    std::vector<uint16_t> mul_f16(a.size()), add_f16(a.size()), mul_bf16(a.size()), add_bf16(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      mul_f16[i] = plain::mul_rn_f16(a[i], b[i]);
      add_f16[i] = plain::add_rn_f16(a[i], b[i]);
      mul_bf16[i] = plain::mul_rn_bf16(a[i], b[i]);
      add_bf16[i] = plain::add_rn_bf16(a[i], b[i]);
    }
    for_each_target([&](const char* target) {
      INFO(target << ", round " << round);
      std::vector<uint16_t> out(a.size());
      mul_f16_array(a.data(), b.data(), out.data(), a.size());
      CHECK((out == mul_f16));
      add_f16_array(a.data(), b.data(), out.data(), a.size());
      CHECK((out == add_f16));
      mul_bf16_array(a.data(), b.data(), out.data(), a.size());
      CHECK((out == mul_bf16));
      add_bf16_array(a.data(), b.data(), out.data(), a.size());
      CHECK((out == add_bf16));
    });
  }
}

}  // namespace
}  // namespace xqacheck::arith
