// f32 .rn.ftz arithmetic on arrays. The host's operation is right except where the .ftz rule looks at the rounding: an
// IEEE result of exactly 2^-126 may stand for a flushed one, and those rare lanes are redone by the plain rule. Inputs
// are flushed first and smaller results are zero either way, so the host's denormal mode does not matter.
#include "emulation/arith/fast/targets.hpp"
// targets.hpp first
#include "emulation/arith/fast/array_kernels.hpp"
#include "emulation/arith/plain/f32.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/arith/fast/f32_array.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// after foreach_target.h
#include "emulation/arith/fast/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {
namespace {

// Which lanes of a raw result need the plain rule.
HWY_INLINE MI doubtful(VI magnitude) {
  const MI at_edge = hn::Eq(magnitude, constant(0x00800000));
#if HWY_ARCH_ARM  // flush-to-zero there happens before rounding, so that even a zero may be wrong
  return hn::Or(at_edge, hn::Eq(magnitude, hn::Zero(DI())));
#else
  return at_edge;
#endif
}

template <class Scalar, class... V>
HWY_INLINE VI finish_ftz(VF raw, Scalar scalar, V... inputs) {
  const VI bits = as_bits(raw);
  const VI magnitude = magnitude_of(bits);
  VI result = hn::IfThenElse(is_nan_magnitude(magnitude), constant(kF32.nan), flushed(bits));
  const MI redo = doubtful(magnitude);
  if (HWY_UNLIKELY(!hn::AllFalse(DI(), redo))) result = redo_scalar(result, redo, scalar, inputs...);
  return result;
}

HWY_INLINE VI maximum(VI a_bits, VI b_bits) {
  const VI a = flushed(a_bits);
  const VI b = flushed(b_bits);
  // Signed integers in the order of the values, -0 below +0.
  const auto key = [](VI v) HWY_ATTR { return hn::Xor(v, hn::And(hn::BroadcastSignBit(v), constant(0x7fffffff))); };
  VI result = hn::IfThenElse(hn::Gt(key(b), key(a)), b, a);
  const MI a_nan = is_nan_magnitude(magnitude_of(a));
  const MI b_nan = is_nan_magnitude(magnitude_of(b));
  result = hn::IfThenElse(a_nan, b, hn::IfThenElse(b_nan, a, result));
  return hn::IfThenElse(hn::And(a_nan, b_nan), constant(kF32.nan), result);
}

HWY_INLINE VI fused_multiply_add(VI a, VI b, VI c) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // no fused instruction
  return redo_scalar(a, hn::Eq(a, a), plain::fma_rn_ftz_f32, a, b, c);
#else
  const VF raw = hn::MulAdd(as_float(flushed(a)), as_float(flushed(b)), as_float(flushed(c)));
  return finish_ftz(raw, plain::fma_rn_ftz_f32, a, b, c);
#endif
}

HWY_INLINE VI multiply(VI a, VI b) {
  return finish_ftz(hn::Mul(as_float(flushed(a)), as_float(flushed(b))), plain::mul_rn_ftz_f32, a, b);
}

HWY_INLINE VI add(VI a, VI b) {
  return finish_ftz(hn::Add(as_float(flushed(a)), as_float(flushed(b))), plain::add_rn_ftz_f32, a, b);
}

// Lanes of a source from element i on.
HWY_INLINE VI lanes_of(const Source<uint32_t>& source, size_t i, size_t count) {
  if (source.array == nullptr) return constant(source.value);
  return count == hn::Lanes(DI()) ? load_lanes(source.array + i) : load_some(source.array + i, count);
}

template <class Op>
HWY_INLINE void run(const Source<uint32_t>& a, const Source<uint32_t>& b, const Source<uint32_t>& c, uint32_t* out,
                    size_t n, Op op) {
  const size_t lanes = hn::Lanes(DI());
  for (size_t i = 0; i < n; i += lanes) {
    const size_t count = HWY_MIN(lanes, n - i);
    const VI result = op(lanes_of(a, i, count), lanes_of(b, i, count), lanes_of(c, i, count));
    if (count == lanes) {
      store_lanes(result, out + i);
    } else {
      store_some(result, out + i, count);
    }
  }
}

}  // namespace

void f32_array_impl(F32Op op, Source<uint32_t> a, Source<uint32_t> b, Source<uint32_t> c, uint32_t* out, size_t n) {
  switch (op) {
    case F32Op::fma_ftz:
      return run(a, b, c, out, n, [](VI x, VI y, VI z) HWY_ATTR { return fused_multiply_add(x, y, z); });
    case F32Op::mul_ftz:
      return run(a, b, c, out, n, [](VI x, VI y, VI) HWY_ATTR { return multiply(x, y); });
    case F32Op::add_ftz:
      return run(a, b, c, out, n, [](VI x, VI y, VI) HWY_ATTR { return add(x, y); });
    case F32Op::sub_ftz:
      return run(a, b, c, out, n, [](VI x, VI y, VI) HWY_ATTR { return add(x, hn::Xor(y, constant(0x80000000))); });
    case F32Op::max_ftz:
      return run(a, b, c, out, n, [](VI x, VI y, VI) HWY_ATTR { return maximum(x, y); });
  }
}

uint32_t f32_max_reduce_impl(uint32_t start, const uint32_t* a, size_t n) {
  const size_t lanes = hn::Lanes(DI());
  uint32_t result = start;
  size_t i = 0;
  if (n >= lanes) {
    VI best = load_lanes(a);
    for (i = lanes; i + lanes <= n; i += lanes) best = maximum(best, load_lanes(a + i));
    uint32_t buffer[kMaxLanes];
    store_lanes(best, buffer);
    for (size_t lane = 0; lane < lanes; ++lane) result = plain::max_ftz_f32(result, buffer[lane]);
  }
  for (; i < n; ++i) result = plain::max_ftz_f32(result, a[i]);
  return result;
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::arith::fast {

HWY_EXPORT(f32_array_impl);
HWY_EXPORT(f32_max_reduce_impl);

void f32_array(F32Op op, Source<uint32_t> a, Source<uint32_t> b, Source<uint32_t> c, uint32_t* out, size_t n) {
  HWY_DYNAMIC_DISPATCH(f32_array_impl)(op, a, b, c, out, n);
}

uint32_t f32_max_reduce(uint32_t start, const uint32_t* a, size_t n) {
  return HWY_DYNAMIC_DISPATCH(f32_max_reduce_impl)(start, a, n);
}

}  // namespace xqacheck::arith::fast
#endif
