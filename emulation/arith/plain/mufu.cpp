#include "emulation/arith/plain/mufu.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "emulation/arith/format.hpp"
#include "emulation/arith/mufu_tables.hpp"
#include "emulation/arith/plain/f32.hpp"
#include "emulation/arith/plain/scalar.hpp"

namespace xqacheck::arith::plain {

namespace {

constexpr uint32_t kNan = 0x7fffffff;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kOne = 0x3f800000;
constexpr uint32_t kFraction = 0x7fffff;

// P of the segment; `square_input` is what the squarer sees, X itself except in rcp.
template <int Segments>
int64_t interpolate(const MufuTable<Segments>& table, uint32_t segment, uint32_t x, uint32_t square_input) {
  const MufuSegment& k = table.segments[segment];
  return (static_cast<int64_t>(k.k0) << table.shift) + table.constant + static_cast<int64_t>(k.k1) * x +
         static_cast<int64_t>(k.k2) * truncated_square(square_input);
}

// significand: 24 bits, leading bit set; exponent: of that leading bit. Below the normal range: signed zero.
uint32_t pack(uint32_t sign, int64_t significand, int exponent) {
  if (exponent < kF32.min_exponent()) return sign;
  return sign | (static_cast<uint32_t>(exponent + kF32.bias) << 23) | (static_cast<uint32_t>(significand) & kFraction);
}

uint32_t power_of_two(int exponent) {
  return static_cast<uint32_t>(exponent + kF32.bias) << 23;
}

bool is_denormal_or_zero(uint32_t x) {
  return (x & kInfinity) == 0;
}

constexpr uint32_t kTwoTo24 = 0x4b800000;
constexpr uint32_t kTwoTo12 = 0x45800000;
constexpr uint32_t kTwoToMinus12 = 0x39800000;

}  // namespace

uint32_t truncated_square_by_bits(uint32_t x) {
  uint64_t sum = 0;
  for (int i = 0; i < 17; ++i) {
    if ((x >> i & 1) == 0) continue;
    if (2 * i >= 19) sum += uint64_t{1} << (2 * i);
    for (int j = i + 1; j < 17; ++j) {
      if ((x >> j & 1) != 0 && i + j + 1 >= 19) sum += uint64_t{1} << (i + j + 1);
    }
  }
  return static_cast<uint32_t>(sum >> 19);
}

uint32_t truncated_square(uint32_t x) {
  // 256 KiB, filled on first use: the bit loop is thirty times slower than everything else here.
  static const std::vector<uint16_t> kTable = [] {
    std::vector<uint16_t> table(1 << 17);
    for (uint32_t i = 0; i < table.size(); ++i) table[i] = static_cast<uint16_t>(truncated_square_by_bits(i));
    return table;
  }();
  return kTable[x];
}

uint32_t ex2_approx_ftz_f32(uint32_t bits) {
  const Decoded x = decode(kF32, flush_denormal(kF32, bits));
  if (x.kind == Class::nan) return kNan;
  if (x.kind == Class::zero) return kOne;
  if (x.kind == Class::infinite || x.exponent >= 7) return x.negative ? 0 : kInfinity;  // |x| >= 128
  // Magnitude truncated to 23 fraction bits.
  const uint32_t q = x.exponent >= 0 ? x.mantissa << x.exponent : x.exponent > -24 ? x.mantissa >> -x.exponent : 0;
  auto integer = static_cast<int>(q >> 23);
  uint32_t fraction = q & kFraction;
  if (x.negative) {
    // -(I + f) = (-I - 1) + (1 - f), with 1 - f by one's complement.
    integer = fraction == 0 ? -integer : -integer - 1;
    if (fraction != 0) fraction = kFraction - fraction;
  }
  const uint32_t low = fraction & 0x1ffff;
  return pack(0, interpolate(kEx2Table, fraction >> 17, low, low) >> 15, integer);
}

uint32_t rcp_approx_ftz_f32(uint32_t bits) {
  const Decoded x = decode(kF32, flush_denormal(kF32, bits));
  const uint32_t sign = x.negative ? kSign : 0;
  if (x.kind == Class::nan) return kNan;
  if (x.kind == Class::zero) return sign | kInfinity;
  if (x.kind == Class::infinite) return sign;
  const uint32_t fraction = x.mantissa & kFraction;
  const uint32_t low = fraction & 0xffff;
  // 1/m in units of 2^-24: 2^24 itself for m = 1, else a 24-bit significand in [1/2, 1).
  const int64_t y = interpolate(kRcpTable, fraction >> 16, low, low << 1) >> 15;
  const bool is_one = y == 1 << 24;
  return pack(sign, is_one ? y >> 1 : y, is_one ? -x.exponent : -x.exponent - 1);
}

uint32_t rsqrt_approx_ftz_f32(uint32_t bits) {
  const Decoded x = decode(kF32, flush_denormal(kF32, bits));
  if (x.kind == Class::nan) return kNan;
  if (x.kind == Class::zero) return (x.negative ? kSign : 0) | kInfinity;
  if (x.negative) return kNan;
  if (x.kind == Class::infinite) return 0;
  const uint32_t fraction = x.mantissa & kFraction;
  const int odd = x.exponent & 1;
  const int half = (x.exponent - odd) / 2;
  if (odd == 0 && fraction == 0) return power_of_two(-half);  // powers of four are exact
  const uint32_t low = fraction & 0x1ffff;
  const uint32_t segment = (fraction >> 17) + (odd != 0 ? 64 : 0);
  return pack(0, interpolate(kRsqrtTable, segment, low, low) >> 16, -half - 1);
}

uint32_t sqrt_approx_ftz_f32(uint32_t bits) {
  const uint32_t flushed = flush_denormal(kF32, bits);
  const Decoded x = decode(kF32, flushed);
  if (x.kind == Class::nan) return kNan;
  if (x.kind == Class::zero) return flushed;
  if (x.negative) return kNan;
  if (x.kind == Class::infinite) return kInfinity;
  const uint32_t fraction = x.mantissa & kFraction;
  const int odd = x.exponent & 1;
  const uint32_t low = fraction & 0x1ffff;
  const uint32_t segment = (fraction >> 17) + (odd != 0 ? 64 : 0);
  const int64_t y = interpolate(kSqrtTable, segment, low, low) >> 17;
  return pack(0, std::min<int64_t>(y, 0xffffff), (x.exponent - odd) / 2);
}

uint32_t lg2_approx_ftz_f32(uint32_t bits) {
  const Decoded x = decode(kF32, flush_denormal(kF32, bits));
  if (x.kind == Class::nan) return kNan;
  if (x.kind == Class::zero) return kSign | kInfinity;
  if (x.negative) return kNan;
  if (x.kind == Class::infinite) return kInfinity;
  if (bits == kOne) return 0;
  const uint32_t fraction = x.mantissa & kFraction;
  const uint32_t low = fraction & 0x1ffff;
  int64_t t = interpolate(kLg2Table, fraction >> 17, low, low) + static_cast<int64_t>(x.exponent) * (int64_t{1} << 38);
  const bool negative = t < 0;
  if (negative) t = ~t;  // one's complement, as in ex2
  t >>= 2;               // units of 2^-36
  const int leading = 63 - std::countl_zero(static_cast<uint64_t>(t));
  const int64_t significand = leading >= 23 ? t >> (leading - 23) : t << (23 - leading);
  return pack(negative ? kSign : 0, significand, leading - 36);
}

uint32_t ex2_approx_f32(uint32_t x) {
  const Decoded decoded = decode(kF32, x);
  const bool below_minus_126 = (x & kSign) != 0 && decoded.kind != Class::nan && (x & ~kSign) > 0x42fc0000u;
  if (!below_minus_126) return ex2_approx_ftz_f32(x);
  constexpr uint32_t kHalf = 0x3f000000;
  const uint32_t root = ex2_approx_ftz_f32(mul_rn_f32(x, kHalf));
  return mul_rn_f32(root, root);
}

uint32_t rcp_approx_f32(uint32_t x) {
  constexpr uint32_t kTwoTo126 = 0x7e800000;
  constexpr uint32_t kQuarter = 0x3e800000;
  if (is_denormal_or_zero(x)) return mul_rn_f32(rcp_approx_ftz_f32(mul_rn_f32(x, kTwoTo24)), kTwoTo24);
  if ((x & ~kSign) >= kTwoTo126) return mul_rn_f32(rcp_approx_ftz_f32(mul_rn_f32(x, kQuarter)), kQuarter);
  return rcp_approx_ftz_f32(x);
}

uint32_t rsqrt_approx_f32(uint32_t x) {
  if (!is_denormal_or_zero(x)) return rsqrt_approx_ftz_f32(x);
  return mul_rn_f32(rsqrt_approx_ftz_f32(mul_rn_f32(x, kTwoTo24)), kTwoTo12);
}

uint32_t sqrt_approx_f32(uint32_t x) {
  if (!is_denormal_or_zero(x)) return sqrt_approx_ftz_f32(x);
  return mul_rn_f32(sqrt_approx_ftz_f32(mul_rn_f32(x, kTwoTo24)), kTwoToMinus12);
}

uint32_t lg2_approx_f32(uint32_t x) {
  constexpr uint32_t k24 = 0x41c00000;
  if (!is_denormal_or_zero(x)) return lg2_approx_ftz_f32(x);
  return sub_rn_f32(lg2_approx_ftz_f32(mul_rn_f32(x, kTwoTo24)), k24);
}

uint32_t div_approx_ftz_f32(uint32_t a, uint32_t b) {
  return mul_rn_ftz_f32(a, rcp_approx_ftz_f32(b));
}

uint32_t div_approx_f32(uint32_t a, uint32_t b) {
  if (is_denormal_or_zero(b)) {
    a = mul_rn_f32(a, kTwoTo24);
    b = mul_rn_f32(b, kTwoTo24);
  }
  return mul_rn_f32(rcp_approx_ftz_f32(b), a);
}

}  // namespace xqacheck::arith::plain
