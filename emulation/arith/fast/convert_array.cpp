// Conversions and 16-bit arithmetic on arrays, by way of f32. f32 holds every f16, bf16, e4m3 and s8 value exactly, and
// has enough bits (24 >= 2*11 + 2) that rounding a sum or product twice, to f32 and then to 16 bits, is the same as
// once, except for bf16 results in the f32 denormals: those lanes are redone by the plain rule.
#include "emulation/arith/fast/targets.hpp"
// targets.hpp first
#include "emulation/arith/fast/array_kernels.hpp"
#include "emulation/arith/plain/half.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/arith/fast/convert_array.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target.h
#include "emulation/arith/fast/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE VI widen_bf16(VI v) {
  return hn::ShiftLeft<16>(v);
}

// bf16 -> narrower: NaNs have payloads there, which narrow() takes.
template <class From, class Widen>
HWY_INLINE void convert_from(const void* x, Format to, void* out, size_t n, Widen widen_lanes) {
  const auto* from = static_cast<const From*>(x);
  switch (to) {
    case Format::f32:
      return map(from, static_cast<uint32_t*>(out), n, widen_lanes);
    case Format::f16:
      return map(from, static_cast<uint16_t*>(out), n, [&](VI v) HWY_ATTR { return narrow(kF16, widen_lanes(v)); });
    case Format::bf16:
      return map(from, static_cast<uint16_t*>(out), n, [&](VI v) HWY_ATTR { return narrow(kBf16, widen_lanes(v)); });
    case Format::e4m3:
      return map(from, static_cast<uint8_t*>(out), n, [&](VI v) HWY_ATTR { return narrow(kE4m3, widen_lanes(v)); });
    case Format::s8:
      return;  // not offered
  }
}

// bf16: whether the f32 operation may have met its denormals, and the host's treatment of them.
HWY_INLINE MI near_denormals(VI a, VI b, VI result) {
  const VI edge = constant(0x00800000);
  const auto tiny = [&](VI v) HWY_ATTR {
    return hn::And(hn::Lt(magnitude_of(v), edge), hn::Gt(magnitude_of(v), hn::Zero(DI())));
  };
  const MI both_nonzero = hn::And(hn::Ne(hn::Add(a, a), hn::Zero(DI())), hn::Ne(hn::Add(b, b), hn::Zero(DI())));
  const MI small_result = hn::And(both_nonzero, hn::Lt(magnitude_of(result), constant(0x00800001)));
  return hn::Or(hn::Or(tiny(a), tiny(b)), small_result);
}

uint32_t mul_bf16_of_f32(uint32_t a, uint32_t b) {
  return plain::mul_rn_bf16(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16));
}
uint32_t add_bf16_of_f32(uint32_t a, uint32_t b) {
  return plain::add_rn_bf16(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16));
}

HWY_INLINE VI half_lanes(HalfOp op, bool is_bf16, VI a_bits, VI b_bits) {
  const VI a = is_bf16 ? widen_bf16(a_bits) : widen(kF16, a_bits);
  const VI b = is_bf16 ? widen_bf16(b_bits) : widen(kF16, b_bits);
  const VF raw = op == HalfOp::mul ? hn::Mul(as_float(a), as_float(b)) : hn::Add(as_float(a), as_float(b));
  VI result = narrow(is_bf16 ? kBf16 : kF16, as_bits(raw));
  if (is_bf16) {
    const MI redo = near_denormals(a, b, as_bits(raw));
    if (HWY_UNLIKELY(!hn::AllFalse(DI(), redo))) {
      result = redo_scalar(result, redo, op == HalfOp::mul ? mul_bf16_of_f32 : add_bf16_of_f32, a, b);
    }
  }
  return result;
}

HWY_INLINE VI lanes_of(const Source<uint16_t>& source, size_t i, size_t count) {
  if (source.array == nullptr) return constant(source.value);
  return count == hn::Lanes(DI()) ? load_lanes(source.array + i) : load_some(source.array + i, count);
}

}  // namespace

void convert_array_impl(Format from, Format to, const void* x, void* out, size_t n) {
  switch (from) {
    case Format::f32:
      return convert_from<uint32_t>(x, to, out, n, [](VI v) HWY_ATTR { return v; });
    case Format::f16:
      return convert_from<uint16_t>(x, to, out, n, [](VI v) HWY_ATTR { return widen(kF16, v); });
    case Format::bf16:
      return convert_from<uint16_t>(x, to, out, n, [](VI v) HWY_ATTR { return widen_bf16(v); });
    case Format::e4m3:
      return convert_from<uint8_t>(x, to, out, n, [](VI v) HWY_ATTR { return widen(kE4m3, v); });
    case Format::s8:
      return convert_from<int8_t>(x, to, out, n, [](VI v) HWY_ATTR { return as_bits(hn::ConvertTo(DF(), v)); });
  }
}

void half_array_impl(HalfOp op, Format format, Source<uint16_t> a, Source<uint16_t> b, uint16_t* out, size_t n) {
  const size_t lanes = hn::Lanes(DI());
  for (size_t i = 0; i < n; i += lanes) {
    const size_t count = HWY_MIN(lanes, n - i);
    const VI result = half_lanes(op, format == Format::bf16, lanes_of(a, i, count), lanes_of(b, i, count));
    if (count == lanes) {
      store_lanes(result, out + i);
    } else {
      store_some(result, out + i, count);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::arith::fast {

HWY_EXPORT(convert_array_impl);
HWY_EXPORT(half_array_impl);

void convert_array(Format from, Format to, const void* x, void* out, size_t n) {
  HWY_DYNAMIC_DISPATCH(convert_array_impl)(from, to, x, out, n);
}

void half_array(HalfOp op, Format format, Source<uint16_t> a, Source<uint16_t> b, uint16_t* out, size_t n) {
  HWY_DYNAMIC_DISPATCH(half_array_impl)(op, format, a, b, out, n);
}

}  // namespace xqacheck::arith::fast
#endif
