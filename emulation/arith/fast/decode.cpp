// Patterns to (value, exponent) pairs for the fused rule, 32 at a time.
#include "emulation/arith/fast/targets.hpp"
#include "emulation/arith/fast/tile_job.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/arith/fast/decode.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class VF, class VI>
struct Pair {
  VF value;
  VI exponent;
};

// Patterns in int32 lanes. The value is exact as f32 for f16 and e4m3; bf16 denormals would be f32 denormals, at the
// mercy of the host's denormal mode, and are marked special instead.
template <class DI, class VI = hn::Vec<DI>>
HWY_INLINE auto decode_lanes(DI di, const FloatFormat& layout, bool is_bf16, VI bits) {
  const hn::RebindToFloat<DI> df;
  const int mantissa_bits = layout.mantissa_bits;
  const VI magnitude = hn::And(bits, hn::Set(di, static_cast<int32_t>(layout.magnitude_mask())));
  const VI sign = hn::ShiftLeftSame(hn::Xor(bits, magnitude), 32 - layout.width());
  const VI biased = hn::ShiftRightSame(magnitude, mantissa_bits);
  const auto is_zero = hn::Eq(magnitude, hn::Zero(di));
  const auto is_denormal = hn::Eq(biased, hn::Zero(di));  // or zero
  const auto is_special =
      hn::Gt(magnitude, hn::Set(di, layout.has_infinity ? static_cast<int32_t>(layout.infinity()) - 1
                                                        : static_cast<int32_t>(layout.nan) - 1));
  const VI rebias = hn::Set(di, (kF32.bias - layout.bias) << 23);
  const VI normal = hn::Add(hn::ShiftLeftSame(magnitude, 23 - mantissa_bits), rebias);
  const auto scale =
      hn::BitCast(df, hn::Set(di, is_bf16 ? 0 : (layout.min_exponent() - mantissa_bits + kF32.bias) << 23));
  const VI denormal = hn::BitCast(di, hn::Mul(hn::ConvertTo(df, magnitude), scale));
  VI value = hn::Or(hn::IfThenElse(is_denormal, denormal, normal), sign);
  VI exponent = hn::Sub(hn::Max(biased, hn::Set(di, 1)), hn::Set(di, layout.bias));
  auto special = is_special;
  if (is_bf16) special = hn::Or(special, is_denormal);
  exponent = hn::IfThenElse(special, hn::Set(di, kSpecialExponent), exponent);
  exponent = hn::IfThenElse(is_zero, hn::Set(di, kZeroExponent), exponent);
  // A special value times zero must not become a NaN lane: it is redone by the plain rule anyway.
  value = hn::IfThenZeroElse(special, value);
  return Pair<hn::Vec<decltype(df)>, VI>{hn::BitCast(df, value), exponent};
}

}  // namespace

void decode_rows_impl(Format format, const uint16_t* patterns, size_t n, float* values, int32_t* doubled) {
  const hn::ScalableTag<int32_t> di;
  const hn::RebindToFloat<decltype(di)> df;
  const hn::Rebind<uint16_t, decltype(di)> d16;
  const FloatFormat& layout = layout_of(format);
  for (size_t i = 0; i < n; i += hn::Lanes(di)) {
    const auto decoded =
        decode_lanes(di, layout, format == Format::bf16, hn::PromoteTo(di, hn::LoadU(d16, patterns + i)));
    hn::StoreU(decoded.value, df, values + i);
    const auto low = hn::And(decoded.exponent, hn::Set(di, 0xffff));
    hn::StoreU(hn::Or(hn::ShiftLeft<16>(decoded.exponent), low), di, doubled + i);
  }
}

void decode_columns_impl(Format format, const uint16_t* patterns, size_t n, float* values, int16_t* exponents) {
  const hn::ScalableTag<int32_t> di;
  const hn::RebindToFloat<decltype(di)> df;
  const hn::Rebind<uint16_t, decltype(di)> d16;
  const hn::Rebind<int16_t, decltype(di)> ds16;
  const FloatFormat& layout = layout_of(format);
  for (size_t i = 0; i < n; i += hn::Lanes(di)) {
    const auto decoded =
        decode_lanes(di, layout, format == Format::bf16, hn::PromoteTo(di, hn::LoadU(d16, patterns + i)));
    hn::StoreU(decoded.value, df, values + i);
    hn::StoreU(hn::DemoteTo(ds16, decoded.exponent), ds16, exponents + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::arith::fast {

HWY_EXPORT(decode_rows_impl);
HWY_EXPORT(decode_columns_impl);

void decode_row_patterns(Format format, const uint16_t* patterns, size_t n, float* values, int32_t* doubled) {
  HWY_DYNAMIC_DISPATCH(decode_rows_impl)(format, patterns, n, values, doubled);
}

void decode_column_patterns(Format format, const uint16_t* patterns, size_t n, float* values, int16_t* exponents) {
  HWY_DYNAMIC_DISPATCH(decode_columns_impl)(format, patterns, n, values, exponents);
}

}  // namespace xqacheck::arith::fast
#endif
