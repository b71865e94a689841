// The fused rule of plain/dot.hpp on vectors: one output column per lane.
//
// For one row and a vector of columns: the top exponent E of each lane is a maximum of 16-bit sums; with the power of
// two s = 2^(F - E) every term is trunc(a * b * s), where a * b and the scaling are exact in f32 and the truncating
// conversion to int32 is the hardware's truncation; terms are added as integers; the sum is truncated to 24 bits on its
// way back. Exact for E in [-100, 125]: products do not overflow f32, terms that are f32 denormals lie below the grid,
// results are normal. Every other lane (specials, deep underflow, sums of 2^31) is redone by the plain rule, so the
// host's denormal mode cannot matter.
#include <algorithm>
#include <cstring>

#include "emulation/arith/fast/targets.hpp"
#include "emulation/arith/fast/tile_job.hpp"
#include "emulation/arith/plain/f32.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/arith/fast/fused.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR  // no 16-bit lanes beside 32-bit ones: the plain rule itself

void multiply_fused_impl(const TileJob& job) {
  multiply_plainly(job);
}

#else
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DI = hn::ScalableTag<int32_t>;
using DF = hn::ScalableTag<float>;
using D16 = hn::Repartition<int16_t, DI>;
using VI = hn::Vec<DI>;
using VF = hn::Vec<DF>;
using V16 = hn::Vec<D16>;

constexpr int kMinExponent = -100;
constexpr int kMaxExponent = 125;

// Truncating conversion without Highway's repair of overflow, which cannot happen here (|v| < 2^28).
HWY_INLINE VI truncate(VF v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return VI{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VI{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(DI(), v);
#endif
}

// Alignment of one vector: 2^(F - E), and which lanes are outside the exact range.
struct Alignment {
  VI exponent;
  VF scale;
  hn::Mask<DI> outside;
};

HWY_INLINE Alignment align(VI products_top, VI c, int fraction_bits) {
  const DI di;
  const VI field = hn::And(hn::ShiftRight<23>(c), hn::Set(di, 0xff));
  const VI c_exponent = hn::Sub(hn::Max(field, hn::Set(di, 1)), hn::Set(di, 127));
  const auto c_is_zero = hn::Eq(hn::Add(c, c), hn::Zero(di));  // drops the sign
  const VI top = hn::Max(products_top, hn::IfThenElse(c_is_zero, hn::Set(di, kZeroExponent), c_exponent));
  const VI clamped = hn::Min(hn::Max(top, hn::Set(di, kMinExponent)), hn::Set(di, kMaxExponent));
  const auto outside = hn::And(hn::Ne(clamped, top), hn::Gt(top, hn::Set(di, kNoTerm)));
  const VI scale = hn::ShiftLeft<23>(hn::Sub(hn::Set(di, fraction_bits + 127), clamped));
  return {clamped, hn::BitCast(DF(), scale), outside};
}

struct Normalised {
  VI bits;
  hn::Mask<DI> overflow;  // sums of 2^31 and more
};

// (products + c) * 2^(E - F), magnitude truncated to 24 bits and then to `result_mask`. Neither addend overflows int32;
// the sum is below 2^32 in magnitude.
HWY_INLINE Normalised normalise(VI products, VI c, VI exponent, int fraction_bits, int32_t result_mask) {
  const DI di;
  const hn::RebindToUnsigned<DI> du;
  const VI sum = hn::Add(products, c);
  // The sign of the unbounded sum: that of both addends where they agree.
  const VI sign = hn::BroadcastSignBit(hn::Or(hn::And(products, c), hn::And(hn::Or(products, c), sum)));
  const VI magnitude = hn::Sub(hn::Xor(sum, sign), sign);
  // Clearing bits from the half-unit position down turns the conversion's rounding into truncation.
  const VI dropped = hn::BitCast(di, hn::ShiftRight<24>(hn::BitCast(du, magnitude)));
  const VF value = hn::ConvertTo(DF(), hn::AndNot(dropped, magnitude));
  const VI unscale = hn::ShiftLeft<23>(hn::Add(exponent, hn::Set(di, 127 - fraction_bits)));
  const VI result = hn::BitCast(di, hn::Mul(value, hn::BitCast(DF(), unscale)));
  const VI kept = hn::And(result, hn::Set(di, result_mask));
  const VI signed_result = hn::Or(kept, hn::ShiftLeft<31>(sign));
  return {signed_result, hn::Lt(magnitude, hn::Zero(di))};
}

// Position of a pair of vectors within a job.
struct Place {
  const TileJob& job;
  size_t row;
  size_t column;  // of lane 0
};

HWY_NOINLINE VI redo_lanes(const Place& place, size_t begin, VI c, VI result, hn::Mask<DI> lanes, size_t used) {
  const DI di;
  HWY_ALIGN int32_t c_bits[kLanes];
  HWY_ALIGN int32_t results[kLanes];
  HWY_ALIGN int32_t flags[kLanes];
  hn::Store(c, di, c_bits);
  hn::Store(result, di, results);
  hn::Store(hn::VecFromMask(di, lanes), di, flags);
  for (size_t lane = 0; lane < std::min(used, hn::Lanes(di)); ++lane) {
    if (flags[lane] == 0) continue;
    results[lane] = static_cast<int32_t>(
        plain_group(place.job, place.row, place.column + lane, begin, static_cast<uint32_t>(c_bits[lane])));
  }
  return hn::Load(di, results);
}

// One fused group for the lower vector of columns, and the upper one when Halves is 2. values, exponents: of the
// columns at [k][32].
template <int Halves>
HWY_INLINE void group_step(const Place& place, size_t begin, size_t used, const float* HWY_RESTRICT values,
                           const int16_t* HWY_RESTRICT exponents, VI& c0, VI& c1) {
  const DI di;
  const DF df;
  const D16 d16;
  const hn::Half<D16> dh16;
  const TileJob& job = place.job;
  const auto group = static_cast<size_t>(job.rule.group);
  const float* HWY_RESTRICT a = job.rows.values + place.row * job.rows.k + begin;
  const int32_t* HWY_RESTRICT ea = job.rows.row_exponents + place.row * job.rows.k + begin;
  const float* HWY_RESTRICT b = values + begin * kLanes;
  const int16_t* HWY_RESTRICT eb = exponents + begin * kLanes;

  V16 top0 = hn::Set(d16, -32767);
  V16 top1 = top0;
  for (size_t i = 0; i < group; i += 2) {  // group sizes are even; two chains hide the latency
    const V16 a0 = hn::BitCast(d16, hn::Set(di, ea[i]));
    const V16 a1 = hn::BitCast(d16, hn::Set(di, ea[i + 1]));
    top0 = hn::Max(top0, hn::Add(a0, hn::LoadU(d16, eb + i * kLanes)));
    top1 = hn::Max(top1, hn::Add(a1, hn::LoadU(d16, eb + (i + 1) * kLanes)));
  }
  const V16 top = hn::Max(top0, top1);
  const int fraction_bits = job.rule.fraction_bits;
  const Alignment low = align(hn::PromoteTo(di, hn::LowerHalf(dh16, top)), c0, fraction_bits);
  const Alignment high = Halves == 2 ? align(hn::PromoteTo(di, hn::UpperHalf(dh16, top)), c1, fraction_bits) : low;

  VI sum0 = hn::Zero(di);
  VI sum1 = hn::Zero(di);
  const size_t lanes = hn::Lanes(di);
  for (size_t i = 0; i < group; ++i) {
    const VF av = hn::Set(df, a[i]);
    sum0 = hn::Add(sum0, truncate(hn::Mul(hn::Mul(av, hn::LoadU(df, b + i * kLanes)), low.scale)));
    if (Halves == 2) {
      sum1 = hn::Add(sum1, truncate(hn::Mul(hn::Mul(av, hn::LoadU(df, b + i * kLanes + lanes)), high.scale)));
    }
  }

  const auto result_mask = static_cast<int32_t>(0xffffffffu << (kF32.mantissa_bits - job.rule.result_mantissa));
  const auto finish = [&](VI& c, const Alignment& alignment, VI products, size_t first_lane) HWY_ATTR {
    const VI c_term = truncate(hn::Mul(hn::BitCast(df, c), alignment.scale));
    const Normalised done = normalise(products, c_term, alignment.exponent, fraction_bits, result_mask);
    const auto redo = hn::Or(alignment.outside, done.overflow);
    VI result = done.bits;
    if (HWY_UNLIKELY(!hn::AllFalse(di, redo)) && used > first_lane) {
      result = redo_lanes({job, place.row, place.column + first_lane}, begin, c, result, redo, used - first_lane);
    }
    c = result;
  };
  finish(c0, low, sum0, 0);
  if (Halves == 2) finish(c1, high, sum1, lanes);
}

// C + partial, IEEE round to nearest even: the add after the two f16 steps of an e4m3 instruction. A finite partial is
// zero or no smaller than 2^-43 (e4m3 products end at 2^-18 and 25 bits are kept), so the host's add is right, whatever
// its denormal mode, for every normal or zero C.
HWY_INLINE VI add_partial(VI c, VI partial) {
  const DI di;
  const DF df;
  const VI top = hn::Set(di, 0x7f800000);
  const VI field = hn::And(c, top);
  const auto c_denormal = hn::And(hn::Eq(field, hn::Zero(di)), hn::Ne(hn::Add(c, c), hn::Zero(di)));
  const auto special = hn::Or(hn::Eq(field, top), hn::Eq(hn::And(partial, top), top));
  const auto redo = hn::Or(c_denormal, special);
  const VI sum = hn::BitCast(di, hn::Add(hn::BitCast(df, c), hn::BitCast(df, partial)));
  if (HWY_LIKELY(hn::AllFalse(di, redo))) return sum;
  HWY_ALIGN int32_t c_bits[kLanes];
  HWY_ALIGN int32_t partials[kLanes];
  hn::Store(c, di, c_bits);
  hn::Store(partial, di, partials);
  for (size_t lane = 0; lane < hn::Lanes(di); ++lane) {
    c_bits[lane] = static_cast<int32_t>(
        plain::add_rn_f32(static_cast<uint32_t>(c_bits[lane]), static_cast<uint32_t>(partials[lane])));
  }
  return hn::Load(di, c_bits);
}

// All groups of one row for up to two vectors of columns; c holds 2 vectors.
template <int Halves>
HWY_INLINE void row_chain(const Place& place, size_t used, const float* values, const int16_t* exponents, int32_t* c) {
  const DI di;
  const TileJob& job = place.job;
  const auto group = static_cast<size_t>(job.rule.group);
  const size_t lanes = hn::Lanes(di);
  VI c0 = hn::LoadU(di, c);
  VI c1 = Halves == 2 ? hn::LoadU(di, c + lanes) : c0;
  if (!job.add_after_steps) {
    for (size_t begin = 0; begin < job.rows.k; begin += group) {
      group_step<Halves>(place, begin, used, values, exponents, c0, c1);
    }
  } else {
    for (size_t begin = 0; begin < job.rows.k; begin += 2 * group) {
      VI p0 = hn::Zero(di);
      VI p1 = hn::Zero(di);
      group_step<Halves>(place, begin, used, values, exponents, p0, p1);
      group_step<Halves>(place, begin + group, used, values, exponents, p0, p1);
      c0 = add_partial(c0, p0);
      if (Halves == 2) c1 = add_partial(c1, p1);
    }
  }
  hn::StoreU(c0, di, c);
  if (Halves == 2) hn::StoreU(c1, di, c + lanes);
}

}  // namespace

void multiply_fused_impl(const TileJob& job) {
  const size_t lanes = hn::Lanes(DI());
  const size_t columns = job.columns.vectors;
  for (size_t column = 0; column < columns; column += 2 * lanes) {
    const size_t used = std::min(2 * lanes, columns - column);
    const size_t block = (column / kLanes * job.columns.k) * kLanes + column % kLanes;
    const float* values = job.columns.values + block;
    const int16_t* exponents = job.columns.column_exponents + block;
    for (size_t row = 0; row < job.rows.vectors; ++row) {
      uint32_t* c = job.c + row * job.ldc + column;
      HWY_ALIGN int32_t buffer[kLanes] = {};
      std::memcpy(buffer, c, used * sizeof(uint32_t));
      if (used > lanes) {
        row_chain<2>({job, row, column}, used, values, exponents, buffer);
      } else {
        row_chain<1>({job, row, column}, used, values, exponents, buffer);
      }
      std::memcpy(c, buffer, used * sizeof(uint32_t));
    }
  }
}

#endif
}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::arith::fast {

HWY_EXPORT(multiply_fused_impl);

void multiply_fused(const TileJob& job) {
  HWY_DYNAMIC_DISPATCH(multiply_fused_impl)(job);
}

}  // namespace xqacheck::arith::fast
#endif
