// Vector building blocks of the array functions: loops with tails, f32 classification, .ftz rules, narrow formats.
// Compiled once per instruction set (Highway's foreach_target), hence the unusual include guard.
#if defined(XQACHECK_ARITH_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XQACHECK_ARITH_LANES_INL
#undef XQACHECK_ARITH_LANES_INL
#else
#define XQACHECK_ARITH_LANES_INL
#endif

#include <cstring>

#include "emulation/arith/format.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DI = hn::ScalableTag<int32_t>;
using DF = hn::ScalableTag<float>;
using VI = hn::Vec<DI>;
using VF = hn::Vec<DF>;
using MI = hn::Mask<DI>;

inline constexpr size_t kMaxLanes = 16;  // of 32 bits, in the widest vector

HWY_INLINE VI constant(uint32_t bits) {
  return hn::Set(DI(), static_cast<int32_t>(bits));
}
HWY_INLINE VF as_float(VI v) {
  return hn::BitCast(DF(), v);
}
HWY_INLINE VI as_bits(VF v) {
  return hn::BitCast(DI(), v);
}
HWY_INLINE VI magnitude_of(VI v) {
  return hn::And(v, constant(0x7fffffff));
}
HWY_INLINE VI sign_of(VI v) {
  return hn::And(v, constant(0x80000000));
}
HWY_INLINE MI is_nan_magnitude(VI magnitude) {
  return hn::Gt(magnitude, constant(0x7f800000));
}

// Denormals to zero of the same sign.
HWY_INLINE VI flushed(VI v) {
  const auto tiny = hn::Lt(magnitude_of(v), constant(0x00800000));
  return hn::IfThenElse(tiny, sign_of(v), v);
}

// 32-bit lanes from an array of uint32_t, uint16_t, uint8_t or int8_t, `count` of them, the rest zero.
template <class T>
HWY_INLINE VI load_lanes(const T* p) {
  const DI di;
  if constexpr (sizeof(T) == 4) {
    return hn::LoadU(di, reinterpret_cast<const int32_t*>(p));
  } else {
    const hn::Rebind<T, DI> narrow;
    return hn::PromoteTo(di, hn::LoadU(narrow, p));
  }
}

template <class T>
HWY_INLINE VI load_some(const T* p, size_t count) {
  T buffer[kMaxLanes] = {};
  std::memcpy(buffer, p, count * sizeof(T));
  return load_lanes(buffer);
}

// The low bits of each lane; lanes must be in the range of T.
template <class T>
HWY_INLINE void store_lanes(VI v, T* p) {
  const DI di;
  if constexpr (sizeof(T) == 4) {
    hn::StoreU(v, di, reinterpret_cast<int32_t*>(p));
  } else if constexpr (sizeof(T) == 2) {
    const hn::Rebind<uint16_t, DI> narrow;
    hn::StoreU(hn::DemoteTo(narrow, v), narrow, p);
  } else {
    const hn::Rebind<uint8_t, DI> narrow;
    hn::StoreU(hn::DemoteTo(narrow, v), narrow, p);
  }
}

template <class T>
HWY_INLINE void store_some(VI v, T* p, size_t count) {
  T buffer[kMaxLanes];
  store_lanes(v, buffer);
  std::memcpy(p, buffer, count * sizeof(T));
}

template <class From, class To, class Op>
HWY_INLINE void map(const From* x, To* out, size_t n, Op op) {
  const size_t lanes = hn::Lanes(DI());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) store_lanes(op(load_lanes(x + i)), out + i);
  if (i < n) store_some(op(load_some(x + i, n - i)), out + i, n - i);
}

template <class T, class Op>
HWY_INLINE void map(const T* a, const T* b, T* out, size_t n, Op op) {
  const size_t lanes = hn::Lanes(DI());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) store_lanes(op(load_lanes(a + i), load_lanes(b + i)), out + i);
  if (i < n) store_some(op(load_some(a + i, n - i), load_some(b + i, n - i)), out + i, n - i);
}

template <class T, class Op>
HWY_INLINE void map(const T* a, const T* b, const T* c, T* out, size_t n, Op op) {
  const size_t lanes = hn::Lanes(DI());
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    store_lanes(op(load_lanes(a + i), load_lanes(b + i), load_lanes(c + i)), out + i);
  }
  if (i < n) {
    store_some(op(load_some(a + i, n - i), load_some(b + i, n - i), load_some(c + i, n - i)), out + i, n - i);
  }
}

// Lanes of `result` in `redo` replaced by scalar(a, b, ...) of the same lane. Rare by construction.
template <class Scalar, class... V>
HWY_NOINLINE VI redo_scalar(VI result, MI redo, Scalar scalar, V... inputs) {
  const DI di;
  int32_t results[kMaxLanes];
  int32_t flags[kMaxLanes];
  int32_t arguments[sizeof...(V)][kMaxLanes];
  hn::StoreU(result, di, results);
  hn::StoreU(hn::VecFromMask(di, redo), di, flags);
  size_t index = 0;
  (hn::StoreU(inputs, di, arguments[index++]), ...);
  for (size_t lane = 0; lane < hn::Lanes(di); ++lane) {
    if (flags[lane] == 0) continue;
    if constexpr (sizeof...(V) == 2) {
      results[lane] = static_cast<int32_t>(
          scalar(static_cast<uint32_t>(arguments[0][lane]), static_cast<uint32_t>(arguments[1][lane])));
    } else {
      results[lane] = static_cast<int32_t>(scalar(static_cast<uint32_t>(arguments[0][lane]),
                                                  static_cast<uint32_t>(arguments[1][lane]),
                                                  static_cast<uint32_t>(arguments[2][lane])));
    }
  }
  return hn::LoadU(di, results);
}

// f16 or e4m3 patterns in 32-bit lanes to f32 bits, exact; NaN gives 0x7fffffff.
HWY_INLINE VI widen(const FloatFormat& layout, VI bits) {
  const VI magnitude = hn::And(bits, constant(layout.magnitude_mask()));
  const VI sign = hn::ShiftLeftSame(hn::Xor(bits, magnitude), 32 - layout.width());
  const auto is_denormal = hn::Lt(magnitude, constant(1u << layout.mantissa_bits));
  const VI normal = hn::Add(hn::ShiftLeftSame(magnitude, 23 - layout.mantissa_bits),
                            constant(static_cast<uint32_t>(kF32.bias - layout.bias) << 23));
  const VI quantum = constant(static_cast<uint32_t>(layout.min_exponent() - layout.mantissa_bits + kF32.bias) << 23);
  const VI denormal = as_bits(hn::Mul(hn::ConvertTo(DF(), magnitude), as_float(quantum)));
  VI result = hn::Or(hn::IfThenElse(is_denormal, denormal, normal), sign);
  if (layout.has_infinity) {
    const VI infinity = constant(layout.infinity());
    result = hn::IfThenElse(hn::Eq(magnitude, infinity), hn::Or(sign, constant(kF32.infinity())), result);
    return hn::IfThenElse(hn::Gt(magnitude, infinity), constant(kF32.nan), result);
  }
  return hn::IfThenElse(hn::Eq(magnitude, constant(layout.magnitude_mask())), constant(kF32.nan), result);
}

// f32 bits to f16, bf16 or e4m3 patterns, to nearest even. Overflow: infinity, for e4m3 the largest number.
HWY_INLINE VI narrow(const FloatFormat& layout, VI bits) {
  const DI di;
  const hn::RebindToUnsigned<DI> du;
  const int dropped = 23 - layout.mantissa_bits;
  const VI magnitude = magnitude_of(bits);
  const VI sign = hn::BitCast(di, hn::ShiftRightSame(hn::BitCast(du, sign_of(bits)), 32 - layout.width()));
  // Half a unit, less one unless the kept part is odd; the carry runs into the exponent by itself.
  const VI odd = hn::And(hn::ShiftRightSame(magnitude, dropped), constant(1));
  const VI rounded = hn::ShiftRightSame(hn::Add(hn::Add(magnitude, odd), constant((1u << (dropped - 1)) - 1)), dropped);
  VI result = hn::Sub(rounded, constant(static_cast<uint32_t>(kF32.bias - layout.bias) << layout.mantissa_bits));
  if (layout.bias != kF32.bias) {
    // Denormal results: an f32 add of the power of two whose unit is the target's smallest number rounds there.
    const VI anchor =
        constant(static_cast<uint32_t>(layout.min_exponent() - layout.mantissa_bits + 23 + kF32.bias) << 23);
    const VI denormal = hn::Sub(as_bits(hn::Add(as_float(magnitude), as_float(anchor))), anchor);
    const VI smallest_normal = constant(static_cast<uint32_t>(layout.min_exponent() + kF32.bias) << 23);
    result = hn::IfThenElse(hn::Lt(magnitude, smallest_normal), denormal, result);
  }
  const uint32_t largest = layout.has_infinity ? layout.infinity() : layout.magnitude_mask() - 1;
  // Compared before rounding too: f32 infinity must not wrap when half a unit is added.
  result = hn::Min(result, constant(largest));
  result = hn::IfThenElse(hn::Gt(magnitude, constant(0x7f7fffff)), constant(largest), result);
  return hn::IfThenElse(is_nan_magnitude(magnitude), constant(layout.nan), hn::Or(result, sign));
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#endif
