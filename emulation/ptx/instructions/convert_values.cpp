// cvt by way of double: every f16, bf16, f32 and 32-bit integer is one exactly. A conversion is a function of the
// source's 64-bit pattern that gives the target's; source reads and target writes know the registers.
#include <cmath>
#include <limits>

#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/convert.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;
using H = std::uint16_t;

double integral(double x, Round round) {
  switch (round) {
    case Round::rn:
      return std::nearbyint(x);  // the host's mode is to nearest even
    case Round::rz:
      return std::trunc(x);
    case Round::rm:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}

W flushed(W x) {
  return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x;
}

double value_of(Type type, Q bits, bool ftz) {
  switch (type) {
    case Type::f16:
      return std::bit_cast<float>(arith::cvt_f32_f16(static_cast<H>(bits)));
    case Type::bf16:
      return std::bit_cast<float>(arith::cvt_f32_bf16(static_cast<H>(bits)));
    case Type::f32:
      return std::bit_cast<float>(ftz ? flushed(static_cast<W>(bits)) : static_cast<W>(bits));
    case Type::f64:
      return std::bit_cast<double>(bits);
    case Type::s8:
      return static_cast<std::int8_t>(bits);
    case Type::s16:
      return static_cast<std::int16_t>(bits);
    case Type::s32:
      return static_cast<std::int32_t>(bits);
    case Type::u8:
      return static_cast<std::uint8_t>(bits);
    case Type::u16:
      return static_cast<std::uint16_t>(bits);
    default:
      return static_cast<std::uint32_t>(bits);
  }
}

// x rounded to f32 in any direction; NaN is 0x7fffffff.
W to_f32(double x, Round round) {
  if (x != x) return 0x7fffffffu;
  float nearest = static_cast<float>(x);
  const double back = nearest;
  const float infinity = std::numeric_limits<float>::infinity();
  if (round == Round::rz && std::fabs(back) > std::fabs(x)) nearest = std::nextafter(nearest, 0.f);
  if (round == Round::rm && back > x) nearest = std::nextafter(nearest, -infinity);
  if (round == Round::rp && back < x) nearest = std::nextafter(nearest, infinity);
  return std::bit_cast<W>(nearest);
}

template <class T>
Q clamped(double x) {
  using L = std::numeric_limits<T>;
  if (x != x) return 0;
  // The largest 64-bit integers are no doubles: the power of two above them is.
  if (x >= std::ldexp(1.0, L::digits)) return static_cast<Q>(static_cast<std::make_unsigned_t<T>>(L::max()));
  if (x <= static_cast<double>(L::min())) return static_cast<Q>(static_cast<std::make_unsigned_t<T>>(L::min()));
  return static_cast<Q>(static_cast<std::make_unsigned_t<T>>(static_cast<T>(x)));
}

Q from_double(double x, const Conversion& c) {
  switch (c.to) {
    case Type::u8:
      return clamped<std::uint8_t>(x);
    case Type::s8:
      return clamped<std::int8_t>(x);
    case Type::u16:
      return clamped<std::uint16_t>(x);
    case Type::s16:
      return clamped<std::int16_t>(x);
    case Type::u32:
      return clamped<std::uint32_t>(x);
    case Type::s32:
      return clamped<std::int32_t>(x);
    case Type::u64:
      return clamped<std::uint64_t>(x);
    case Type::s64:
      return clamped<std::int64_t>(x);
    case Type::f64:
      return std::bit_cast<Q>(x);
    case Type::f32: {
      if (c.saturate) x = x > 0 ? std::min(x, 1.0) : 0.0;  // NaN gives 0
      const W bits = to_f32(x, c.round);
      return c.ftz ? flushed(bits) : bits;
    }
    default: {
      // The source is a 16-bit float, f32 or an integer of at most 24 bits: an f32 exactly.
      const W bits = to_f32(x, Round::rn);
      const bool toward_zero = c.round == Round::rz && !c.integral;
      if (c.to == Type::f16) return toward_zero ? arith::cvt_rz_f16_f32(bits) : arith::cvt_rn_f16_f32(bits);
      return toward_zero ? arith::cvt_rz_bf16_f32(bits) : arith::cvt_rn_bf16_f32(bits);
    }
  }
}

Step run_general(Warp& warp, const Inst& inst, LaneMask active) {
  const Conversion c{
      static_cast<Type>(inst.which), static_cast<Type>(inst.bytes), static_cast<Round>(inst.elements & 3),
      (inst.elements & 4) != 0,      (inst.elements & 8) != 0,      (inst.elements & 16) != 0};
  const bool wide_source = bytes_of(c.from) == 8, wide_target = (inst.flags & kWideData) != 0;
  const std::uint32_t* a = warp.words(inst.a);
  std::uint32_t* out = warp.words(inst.d);
  each(active, [&](unsigned lane) {
    const Q bits = wide_source ? a[2 * lane] | Q{a[2 * lane + 1]} << 32 : a[lane];
    Q result;
    // 64-bit integers are no doubles: the host's own conversion, to nearest even.
    if (c.from == Type::s64) {
      result = c.to == Type::f32 ? std::bit_cast<W>(static_cast<float>(static_cast<std::int64_t>(bits)))
                                 : std::bit_cast<Q>(static_cast<double>(static_cast<std::int64_t>(bits)));
    } else if (c.from == Type::u64) {
      result =
          c.to == Type::f32 ? std::bit_cast<W>(static_cast<float>(bits)) : std::bit_cast<Q>(static_cast<double>(bits));
    } else {
      double x = value_of(c.from, bits, c.ftz);
      if (c.integral) x = integral(x, c.round);
      result = from_double(x, c);
      if (is_signed(c.to) && bytes_of(c.to) < 4 && (inst.flags & kSignExtend) != 0)
        result =
            static_cast<W>(bytes_of(c.to) == 1 ? static_cast<std::int8_t>(result) : static_cast<std::int16_t>(result));
    }
    if (wide_target) {
      out[2 * lane] = static_cast<W>(result), out[2 * lane + 1] = static_cast<W>(result >> 32);
    } else {
      out[lane] = static_cast<W>(result);
    }
  });
  return Step::next;
}

}  // namespace

void general_conversion(const Conversion& c, std::uint32_t register_bytes, Inst& inst) {
  inst.run = run_general;
  inst.which = static_cast<std::uint8_t>(c.from);
  inst.bytes = static_cast<std::uint8_t>(c.to);
  inst.elements = static_cast<std::uint8_t>(static_cast<int>(c.round) | (c.integral ? 4 : 0) | (c.ftz ? 8 : 0) |
                                            (c.saturate ? 16 : 0));
  if (register_bytes == 8) inst.flags |= kWideData;
  if (register_bytes == 4) inst.flags |= kSignExtend;
}

}  // namespace xqacheck::ptx
