// The special-function unit on arrays: the polynomial of plain/mufu.hpp in 32-bit lanes.
//
// P >> (A + 2) = floor((T1 + floor(T0 / 4) + (k0 mod 4 << A-2)) / 2^A) + (k0 >> 2), with T1 = k1 * (X >> 2) and
// T0 = k1 * (X & 3) + C + k2 * U: nothing leaves 32 bits, because k1*X and k2*U have opposite signs where k1*X is
// large. The tests compare all 2^32 inputs with the plain form.
#include <array>

#include "emulation/arith/fast/targets.hpp"
// targets.hpp first
#include "emulation/arith/fast/array_kernels.hpp"
#include "emulation/arith/mufu_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/arith/fast/mufu_array.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target.h
#include "emulation/arith/fast/lanes-inl.hpp"

#ifndef XQACHECK_ARITH_PACKED_MUFU
#define XQACHECK_ARITH_PACKED_MUFU
namespace xqacheck::arith::fast {

// Two gathers a lookup instead of three: k1 in the low 18 bits (|k1| < 2^17), k2 above.
struct PackedTable {
  int shift;
  int32_t constant;
  std::array<int32_t, 128> k0;
  std::array<int32_t, 128> k12;
};

template <int Segments>
constexpr PackedTable packed(const MufuTable<Segments>& table) {
  PackedTable result{table.shift, table.constant, {}, {}};
  for (size_t i = 0; i < Segments; ++i) {
    const MufuSegment& s = table.segments[i];
    result.k0[i] = s.k0;
    result.k12[i] = static_cast<int32_t>(static_cast<uint32_t>(s.k2) << 18 | (static_cast<uint32_t>(s.k1) & 0x3ffff));
  }
  return result;
}

inline constexpr PackedTable kPackedEx2 = packed(kEx2Table);
inline constexpr PackedTable kPackedRcp = packed(kRcpTable);
inline constexpr PackedTable kPackedRsqrt = packed(kRsqrtTable);
inline constexpr PackedTable kPackedSqrt = packed(kSqrtTable);
inline constexpr PackedTable kPackedLg2 = packed(kLg2Table);

}  // namespace xqacheck::arith::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {
namespace {

constexpr int kOneBits = 0x3f800000;

// Lanes of any int32 vector type (lg2 works on half vectors).
template <class D>
HWY_INLINE hn::Vec<D> set(D d, int32_t value) {
  return hn::Set(d, value);
}

// The truncated squarer. The bit products of weight 2^19 and more are: all of the seven high bits among themselves, and
// bit i of the low ten with the bits from 18 - i up (bit 9 with the high seven only).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V truncated_square(D d, V x) {
  const V high = hn::ShiftRight<10>(x);
  V sum = hn::Mul(high, hn::Add(high, high));
  const auto add_row = [&](V shifted, V bit_at_top)
                           HWY_ATTR { sum = hn::Add(sum, hn::And(shifted, hn::BroadcastSignBit(bit_at_top))); };
  add_row(hn::ShiftRight<16>(x), hn::ShiftLeft<29>(x));
  add_row(hn::ShiftRight<15>(x), hn::ShiftLeft<28>(x));
  add_row(hn::ShiftRight<14>(x), hn::ShiftLeft<27>(x));
  add_row(hn::ShiftRight<13>(x), hn::ShiftLeft<26>(x));
  add_row(hn::ShiftRight<12>(x), hn::ShiftLeft<25>(x));
  add_row(hn::ShiftRight<11>(x), hn::ShiftLeft<24>(x));
  add_row(high, hn::ShiftLeft<23>(x));
  add_row(hn::Add(high, high), hn::ShiftLeft<22>(x));
  (void)d;
  return sum;
}

template <class V>
struct Terms {
  V k0;
  V rest;  // T1 + floor(T0 / 4)
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Terms<V> interpolate(D d, const PackedTable& table, V segment, V x, V square_input) {
  const V k0 = hn::GatherIndex(d, table.k0.data(), segment);
  const V k12 = hn::GatherIndex(d, table.k12.data(), segment);
  const V k1 = hn::ShiftRight<14>(hn::ShiftLeft<14>(k12));
  const V k2 = hn::ShiftRight<18>(k12);
  const V t1 = hn::Mul(k1, hn::ShiftRight<2>(x));
  const V t0 = hn::Add(hn::Add(hn::Mul(k1, hn::And(x, set(d, 3))), set(d, table.constant)),
                       hn::Mul(k2, truncated_square(d, square_input)));
  return {k0, hn::Add(t1, hn::ShiftRight<2>(t0))};
}

// P >> (table.shift + 2). The 32-bit rest is signed where the slopes are negative (rcp, rsqrt) and unsigned where they
// are positive (ex2, sqrt, whose odd segments pass 2^31).
HWY_INLINE VI interpolate_shifted(const PackedTable& table, VI segment, VI x, VI square_input, bool rising) {
  const DI di;
  const hn::RebindToUnsigned<DI> du;
  const Terms<VI> terms = interpolate(di, table, segment, x, square_input);
  const VI rest = hn::Add(terms.rest, hn::ShiftLeftSame(hn::And(terms.k0, constant(3)), table.shift - 2));
  const VI shifted = rising ? hn::BitCast(di, hn::ShiftRightSame(hn::BitCast(du, rest), table.shift))
                            : hn::ShiftRightSame(rest, table.shift);
  return hn::Add(shifted, hn::ShiftRight<2>(terms.k0));
}

HWY_INLINE VI select(MI mask, uint32_t value, VI otherwise) {
  return hn::IfThenElse(mask, constant(value), otherwise);
}

HWY_INLINE VI ex2(VI x) {
  const DI di;
  const VI magnitude = magnitude_of(x);
  const VI sign = hn::BroadcastSignBit(x);
  // |x| * 2^23 is exact; the conversion truncates. Clamped at 128, where the result is infinity or zero anyway.
  const VI clamped = hn::Min(magnitude, constant(0x43000000));
  const VI q = hn::ConvertTo(di, hn::Mul(as_float(clamped), as_float(constant((23 + 127) << 23))));
  // Negative: one's complement, except that whole numbers are negated.
  const VI whole = hn::VecFromMask(di, hn::Eq(hn::And(q, constant(0x7fffff)), hn::Zero(di)));
  const VI t = hn::Sub(hn::Xor(q, sign), hn::And(sign, whole));
  const VI fraction = hn::And(t, constant(0x7fffff));
  const VI low = hn::And(fraction, constant(0x1ffff));
  const VI significand = interpolate_shifted(kPackedEx2, hn::ShiftRight<17>(fraction), low, low, true);
  const VI integer = hn::ShiftRight<23>(t);
  // The significand's hidden bit adds one to the exponent field.
  VI result = hn::Add(hn::ShiftLeft<23>(hn::Add(integer, constant(126))), significand);
  result = hn::IfThenElse(hn::Lt(integer, hn::Set(di, -126)), hn::Zero(di), result);
  result = hn::IfThenElse(hn::Gt(magnitude, constant(0x42ffffff)), hn::AndNot(sign, constant(0x7f800000)), result);
  return select(is_nan_magnitude(magnitude), kF32.nan, result);
}

HWY_INLINE VI rcp(VI x) {
  const DI di;
  const VI magnitude = magnitude_of(x);
  const VI sign = sign_of(x);
  const VI fraction = hn::And(magnitude, constant(0x7fffff));
  const VI low = hn::And(fraction, constant(0xffff));
  const VI y = interpolate_shifted(kPackedRcp, hn::ShiftRight<16>(fraction), low, hn::Add(low, low), false);
  // Field of 1/x: 253 - field(x), one more for a power of two, where y = 2^24 carries it in by itself: 252 + carry of
  // the hidden bit (y in [2^23, 2^24)), or + 2 (y = 2^24).
  const VI field = hn::Sub(constant(252), hn::ShiftRight<23>(magnitude));
  VI result = hn::Add(hn::ShiftLeft<23>(field), y);
  result = hn::IfThenElse(hn::Lt(result, constant(0x00800000)), hn::Zero(di), result);
  result = select(hn::Lt(magnitude, constant(0x00800000)), 0x7f800000, result);
  result = hn::IfThenElse(hn::Eq(magnitude, constant(0x7f800000)), hn::Zero(di), result);
  return select(is_nan_magnitude(magnitude), kF32.nan, hn::Or(result, sign));
}

// For rsqrt and sqrt: exponent = 2 * half + odd, segment with the odd half of the table.
struct Halved {
  VI half;
  VI low;
  VI segment;
};

HWY_INLINE Halved halve(VI magnitude) {
  const VI exponent = hn::Sub(hn::ShiftRight<23>(magnitude), constant(127));
  const VI odd = hn::And(exponent, constant(1));
  const VI fraction = hn::And(magnitude, constant(0x7fffff));
  return {hn::ShiftRight<1>(exponent), hn::And(fraction, constant(0x1ffff)),
          hn::Add(hn::ShiftRight<17>(fraction), hn::ShiftLeft<6>(odd))};
}

HWY_INLINE VI rsqrt(VI x) {
  const DI di;
  const VI magnitude = magnitude_of(x);
  const Halved parts = halve(magnitude);
  VI y = interpolate_shifted(kPackedRsqrt, parts.segment, parts.low, parts.low, false);
  // Powers of four: even exponent, fraction zero; exactly 2^24 in units of 2^-24.
  const MI power_of_four = hn::Eq(hn::And(magnitude, constant(0xffffff)), constant(0x800000));
  y = select(power_of_four, 1 << 24, y);
  VI result = hn::Add(hn::ShiftLeft<23>(hn::Sub(constant(125), parts.half)), y);
  result = hn::IfThenElse(hn::Eq(magnitude, constant(0x7f800000)), hn::Zero(di), result);
  result = select(hn::Lt(x, hn::Zero(di)), kF32.nan, result);
  result = hn::IfThenElse(hn::Lt(magnitude, constant(0x00800000)), hn::Or(sign_of(x), constant(0x7f800000)), result);
  return select(is_nan_magnitude(magnitude), kF32.nan, result);
}

HWY_INLINE VI sqrt(VI x) {
  const DI di;
  const VI magnitude = magnitude_of(x);
  const Halved parts = halve(magnitude);
  VI y = interpolate_shifted(kPackedSqrt, parts.segment, parts.low, parts.low, true);
  y = hn::Min(y, constant(0xffffff));
  VI result = hn::Add(hn::ShiftLeft<23>(hn::Add(parts.half, constant(126))), y);
  result = hn::IfThenElse(hn::Eq(magnitude, constant(0x7f800000)), magnitude, result);
  result = select(hn::Lt(x, hn::Zero(di)), kF32.nan, result);
  result = hn::IfThenElse(hn::Lt(magnitude, constant(0x00800000)), sign_of(x), result);
  return select(is_nan_magnitude(magnitude), kF32.nan, result);
}

// Half vectors: the logarithm needs 64 bits.
using D64 = hn::ScalableTag<int64_t>;
using DHalf = hn::Rebind<int32_t, D64>;

HWY_INLINE hn::Vec<DHalf> lg2(hn::Vec<DHalf> x) {
  const DHalf d;
  const D64 d64;
  const hn::Rebind<double, D64> df64;
  const hn::Rebind<float, DHalf> df;
  const auto magnitude = hn::And(x, set(d, 0x7fffffff));
  const auto fraction = hn::And(magnitude, set(d, 0x7fffff));
  const auto low = hn::And(fraction, set(d, 0x1ffff));
  const auto terms = interpolate(d, kPackedLg2, hn::ShiftRight<17>(fraction), low, low);
  const auto exponent = hn::Sub(hn::ShiftRight<23>(magnitude), set(d, 127));
  // floor(T / 4) in units of 2^-36; the complement of a negative T commutes with the floor.
  const auto t = hn::Add(hn::Add(hn::ShiftLeft<36>(hn::PromoteTo(d64, exponent)),
                                 hn::ShiftLeft<kLg2Table.shift - 2>(hn::PromoteTo(d64, terms.k0))),
                         hn::PromoteTo(d64, terms.rest));
  const auto negative = hn::BroadcastSignBit(t);
  // Below 2^44: exact as f64, whose mantissa is then cut to 24 bits, so that the narrowing is exact as well.
  const auto wide = hn::ConvertTo(df64, hn::Xor(t, negative));
  const auto cut = hn::And(hn::BitCast(d64, wide), hn::Set(d64, ~int64_t{0x1fffffff}));
  const auto sign = hn::And(negative, hn::Set(d64, INT64_MIN));
  const auto units = hn::BitCast(d, hn::DemoteTo(df, hn::BitCast(df64, hn::Or(cut, sign))));
  // Times 2^-36: no result is near the denormals.
  auto result = hn::Sub(units, set(d, 36 << 23));
  result = hn::IfThenElse(hn::Eq(x, set(d, kOneBits)), hn::Zero(d), result);
  result = hn::IfThenElse(hn::Eq(magnitude, set(d, 0x7f800000)), magnitude, result);
  result = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), set(d, 0x7fffffff), result);
  result = hn::IfThenElse(hn::Lt(magnitude, set(d, 0x00800000)), set(d, static_cast<int32_t>(0xff800000u)), result);
  return hn::IfThenElse(hn::Gt(magnitude, set(d, 0x7f800000)), set(d, 0x7fffffff), result);
}

void lg2_array(const uint32_t* x, uint32_t* out, size_t n) {
  const DHalf d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, reinterpret_cast<const int32_t*>(x + i));
    hn::StoreU(lg2(v), d, reinterpret_cast<int32_t*>(out + i));
  }
  if (i < n) {
    int32_t buffer[kMaxLanes] = {};
    std::memcpy(buffer, x + i, (n - i) * sizeof(uint32_t));
    hn::StoreU(lg2(hn::LoadU(d, buffer)), d, buffer);
    std::memcpy(out + i, buffer, (n - i) * sizeof(uint32_t));
  }
}

}  // namespace

void mufu_array_impl(MufuOp op, const uint32_t* x, uint32_t* out, size_t n) {
  switch (op) {
    case MufuOp::ex2:
      return map(x, out, n, [](VI v) HWY_ATTR { return ex2(v); });
    case MufuOp::rcp:
      return map(x, out, n, [](VI v) HWY_ATTR { return rcp(v); });
    case MufuOp::rsqrt:
      return map(x, out, n, [](VI v) HWY_ATTR { return rsqrt(v); });
    case MufuOp::sqrt:
      return map(x, out, n, [](VI v) HWY_ATTR { return sqrt(v); });
    case MufuOp::lg2:
      return lg2_array(x, out, n);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::arith::fast {

HWY_EXPORT(mufu_array_impl);

void mufu_array(MufuOp op, const uint32_t* x, uint32_t* out, size_t n) {
  HWY_DYNAMIC_DISPATCH(mufu_array_impl)(op, x, out, n);
}

}  // namespace xqacheck::arith::fast
#endif
