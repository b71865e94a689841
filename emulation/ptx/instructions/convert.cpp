// cvt: integers, f16, bf16, f32, f64 and pairs; e4m3 pairs from and to f16 and f32.
//
// A conversion is a function of the source's 64-bit pattern that gives the target's: source reads and target writes
// know the registers. Frequent forms have vector code of their own.
#include <cmath>
#include <limits>

#include "emulation/arith/array.hpp"
#include "emulation/arith/packed.hpp"
#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;
using H = std::uint16_t;

// ---- integers
// --------------------------------------------------------------------------------------------------------------

// Clamped to the target's range if kSaturate, otherwise cut off.
template <class S, class D, bool kSaturate>
D convert_integer(S x) {
  if constexpr (kSaturate) {
    using L = std::numeric_limits<D>;
    if constexpr (std::is_signed_v<S>) {
      const auto wide = static_cast<std::int64_t>(x);
      if constexpr (std::is_signed_v<D>) {
        if (wide < std::int64_t{L::min()}) return L::min();
        if (wide > std::int64_t{L::max()}) return L::max();
      } else {
        if (wide < 0) return 0;
        if (static_cast<Q>(wide) > Q{L::max()}) return L::max();
      }
    } else if (static_cast<Q>(x) > static_cast<Q>(L::max())) {
      return L::max();
    }
  }
  return static_cast<D>(x);
}

// The result as the destination register holds it: a narrow signed value is extended to the register's width R.
template <class S, class D, class R, bool kSaturate>
R widened(S x) {
  return static_cast<R>(convert_integer<S, D, kSaturate>(x));
}

template <class S, class D, bool kSaturate>
Handler integer_handler(std::uint32_t register_bytes) {
  if (register_bytes == 8) {
    if constexpr (std::is_signed_v<D>) return lanewise1<std::int64_t, S, widened<S, D, std::int64_t, kSaturate>>;
    return lanewise1<Q, S, widened<S, D, Q, kSaturate>>;
  }
  if constexpr (sizeof(D) == 8) {
    return nullptr;
  } else if constexpr (std::is_signed_v<D>) {
    if (register_bytes == 4) return lanewise1<std::int32_t, S, widened<S, D, std::int32_t, kSaturate>>;
    if constexpr (sizeof(D) <= 2) return lanewise1<std::int16_t, S, widened<S, D, std::int16_t, kSaturate>>;
    return nullptr;
  } else {
    return lanewise1<W, S, widened<S, D, W, kSaturate>>;
  }
}

template <class S, bool kSaturate>
Handler integer_target(Type to, std::uint32_t register_bytes) {
  switch (to) {
    case Type::u8:
      return integer_handler<S, std::uint8_t, kSaturate>(register_bytes);
    case Type::s8:
      return integer_handler<S, std::int8_t, kSaturate>(register_bytes);
    case Type::u16:
      return integer_handler<S, std::uint16_t, kSaturate>(register_bytes);
    case Type::s16:
      return integer_handler<S, std::int16_t, kSaturate>(register_bytes);
    case Type::u32:
      return integer_handler<S, std::uint32_t, kSaturate>(register_bytes);
    case Type::s32:
      return integer_handler<S, std::int32_t, kSaturate>(register_bytes);
    case Type::u64:
      return integer_handler<S, std::uint64_t, kSaturate>(register_bytes);
    case Type::s64:
      return integer_handler<S, std::int64_t, kSaturate>(register_bytes);
    default:
      return nullptr;
  }
}

Handler integer_conversion(Type from, Type to, std::uint32_t register_bytes, bool saturate) {
  const auto of = [&](auto zero) {
    using S = decltype(zero);
    return saturate ? integer_target<S, true>(to, register_bytes) : integer_target<S, false>(to, register_bytes);
  };
  switch (from) {
    case Type::u8:
      return of(std::uint8_t{});
    case Type::s8:
      return of(std::int8_t{});
    case Type::u16:
      return of(std::uint16_t{});
    case Type::s16:
      return of(std::int16_t{});
    case Type::u32:
      return of(std::uint32_t{});
    case Type::s32:
      return of(std::int32_t{});
    case Type::u64:
      return of(std::uint64_t{});
    case Type::s64:
      return of(std::int64_t{});
    default:
      return nullptr;
  }
}

// ---- through double: every f16, bf16, f32 and 32-bit integer is one exactly
// ----------------------------------------------------

enum class Round : std::uint8_t { rn, rz, rm, rp };

struct Conversion {
  Type from, to;
  Round round;    // of the value
  bool integral;  // .rni and so on: to an integer first
  bool ftz, saturate;
};

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

// ---- frequent forms
// ----------------------------------------------------------------------------------------------------------

W f32_of_bf16(H x) {
  return W{x} << 16;
}
W f32_of_s32(std::int32_t x) {
  return std::bit_cast<W>(static_cast<float>(x));
}
W f32_of_u32(W x) {
  return std::bit_cast<W>(static_cast<float>(x));
}
// To nearest even, NaN 0x7fff.
H bf16_of_f32(W x) {
  if ((x & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<H>((x + 0x7fffu + ((x >> 16) & 1)) >> 16);
}
// Toward zero.
H bf16_toward_zero(W x) {
  return (x & 0x7fffffffu) > 0x7f800000u ? H{0x7fff} : static_cast<H>(x >> 16);
}
W bf16_pair(W a, W b) {
  return W{bf16_of_f32(a)} << 16 | bf16_of_f32(b);
}
W bf16_pair_toward_zero(W a, W b) {
  return W{bf16_toward_zero(a)} << 16 | bf16_toward_zero(b);
}
W f16_pair_toward_zero(W a, W b) {
  return W{arith::cvt_rz_f16_f32(a)} << 16 | arith::cvt_rz_f16_f32(b);
}

typedef std::uint16_t __attribute__((may_alias)) Half;

Step run_f16_pair(Warp& warp, const Inst& inst, LaneMask active) {
  H high[32], low[32];
  arith::f32_to_f16_array(warp.words(inst.a), high, 32);
  arith::f32_to_f16_array(warp.words(inst.b), low, 32);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return W{high[lane]} << 16 | low[lane]; });
  return Step::next;
}
Step run_f16(Warp& warp, const Inst& inst, LaneMask active) {
  H result[32];
  arith::f32_to_f16_array(warp.words(inst.a), result, 32);
  write<H>(warp, inst.d, active, [&](unsigned lane) { return result[lane]; });
  return Step::next;
}
Step run_f32_of_f16(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<H>(warp, inst.a);
  H source[32];
  W result[32];
  XQACHECK_EVERY_LANE source[lane] = a[lane];
  arith::f16_to_f32_array(source, result, 32);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return result[lane]; });
  return Step::next;
}
Step run_f16_of_e4m3(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<H>(warp, inst.a);
  H pairs[32], result[64];
  XQACHECK_EVERY_LANE pairs[lane] = a[lane];
  arith::e4m3_to_f16_array(reinterpret_cast<const std::uint8_t*>(pairs), result, 64);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return W{result[2 * lane + 1]} << 16 | result[2 * lane]; });
  return Step::next;
}
Step run_e4m3_of_f32(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint8_t high[32], low[32];
  arith::f32_to_e4m3_array(warp.words(inst.a), high, 32);
  arith::f32_to_e4m3_array(warp.words(inst.b), low, 32);
  write<H>(warp, inst.d, active, [&](unsigned lane) { return static_cast<H>(high[lane] << 8 | low[lane]); });
  return Step::next;
}

// Pairs: two f32 or one packed source to one register.
bool decode_pair(Decoder& d, Type to, Type from, bool rz, bool satfinite) {
  if (from == Type::f32 && (to == Type::f16x2 || to == Type::bf16x2 || to == Type::e4m3x2)) {
    d.expect_operands(3, 3);
    d.inst.a = d.source(1, Type::f32), d.inst.b = d.source(2, Type::f32);
    d.inst.d = d.destination(0, to == Type::e4m3x2 ? Type::b16 : Type::b32);
    if (to == Type::e4m3x2) {
      if (!satfinite || rz) d.fail("only .rn.satfinite is supported");
      d.inst.run = run_e4m3_of_f32;
    } else if (satfinite) {
      d.fail(".satfinite is not supported for this type");
    } else if (to == Type::f16x2) {
      d.inst.run = rz ? Handler(each_lane2<W, W, W, f16_pair_toward_zero>) : Handler(run_f16_pair);
    } else {
      d.inst.run = rz ? lanewise2<W, W, W, bf16_pair_toward_zero> : lanewise2<W, W, W, bf16_pair>;
    }
    return true;
  }
  if (to == Type::e4m3x2 && from == Type::f16x2 && satfinite && !rz) {
    d.expect_operands(2, 2);
    d.inst.a = d.source(1, Type::b32);
    d.inst.d = d.destination(0, Type::b16);
    d.inst.run = each_lane1<H, W, arith::cvt_rn_satfinite_e4m3x2_f16x2>;
    return true;
  }
  if (to == Type::f16x2 && from == Type::e4m3x2 && !rz) {
    d.expect_operands(2, 2);
    d.inst.a = d.source(1, Type::b16);
    d.inst.d = d.destination(0, Type::b32);
    d.inst.run = run_f16_of_e4m3;
    return true;
  }
  return false;
}

Handler frequent(Type to, Type from, const Conversion& c) {
  if (c.integral || c.saturate || c.ftz) return nullptr;
  const bool rn = c.round == Round::rn;
  if (to == Type::f32 && from == Type::f16) return run_f32_of_f16;
  if (to == Type::f32 && from == Type::bf16) return lanewise1<W, H, f32_of_bf16>;
  if (to == Type::f32 && from == Type::s32 && rn) return lanewise1<W, std::int32_t, f32_of_s32>;
  if (to == Type::f32 && from == Type::s16 && rn) return lanewise1<W, std::int16_t, f32_of_s32>;
  if (to == Type::f32 && from == Type::u32 && rn) return lanewise1<W, W, f32_of_u32>;
  if (to == Type::f16 && from == Type::f32 && rn) return run_f16;
  if (to == Type::bf16 && from == Type::f32)
    return rn ? lanewise1<H, W, bf16_of_f32> : lanewise1<H, W, bf16_toward_zero>;
  if (to == Type::bf16 && from == Type::s32 && rn) return each_lane1<H, std::int32_t, arith::cvt_rn_bf16_s32>;
  if (to == Type::f16 && from == Type::s32 && rn) return each_lane1<H, std::int32_t, arith::cvt_rn_f16_s32>;
  return nullptr;
}

bool is_integer(Type type) {
  return type >= Type::u8 && type <= Type::s64;
}

void decode_cvt(Decoder& d) {
  const bool satfinite = d.take("satfinite"), saturate = d.take("sat"), ftz = d.take("ftz");
  const auto rounding = d.take_one_of({"rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"});
  const Type to = d.take_type(), from = d.take_type();
  const Round round = rounding.empty() || rounding[1] == 'n' ? Round::rn
                      : rounding[1] == 'z'                   ? Round::rz
                      : rounding[1] == 'm'                   ? Round::rm
                                                             : Round::rp;
  const bool directed = round == Round::rm || round == Round::rp;
  if (!directed && decode_pair(d, to, from, round == Round::rz, satfinite)) return;
  if (satfinite) d.fail(".satfinite is not supported for these types");
  const auto scalar = [](Type type) { return is_integer(type) || is_float(type); };
  if (!scalar(to) || !scalar(from)) d.fail("conversion between these types is not supported");
  d.expect_operands(2, 2);
  d.inst.a = d.cvt_source(1, from);
  const Type target_register = d.register_type(d.operand(0));
  const std::uint32_t register_bytes = bytes_of(target_register);
  if (register_bytes < bytes_of(to)) d.fail("the destination register is too narrow");
  d.inst.d = d.destination(0, target_register);
  if (is_integer(to) && is_integer(from)) {
    d.inst.run = integer_conversion(from, to, register_bytes, saturate);
    return;
  }
  if (is_integer(to) && rounding.size() != 3) d.fail("rounding to an integer is missing: .rni, .rzi, .rmi or .rpi");
  if (is_float(to) && register_bytes != bytes_of(to)) d.fail("the destination register has another width");
  const Conversion c{from, to, round, rounding.size() == 3, ftz, saturate};
  const bool half_target = to == Type::f16 || to == Type::bf16;
  if (half_target && (directed || saturate)) d.fail("this rounding is not supported for the type");
  if (half_target && (from == Type::u32 || bytes_of(from) == 8)) d.fail("conversion from this type is not supported");
  if (bytes_of(from) == 8 && is_integer(from) && round != Round::rn)
    d.fail("only .rn is supported for 64-bit integers");
  if (from == Type::f64 && to == Type::f32 && saturate) d.fail(".sat is not supported here");
  d.inst.run = frequent(to, from, c);
  if (d.inst.run != nullptr) return;
  if (half_target && from == Type::s32) d.fail("only .rn is supported here");
  d.inst.run = run_general;
  d.inst.which = static_cast<std::uint8_t>(from);
  d.inst.bytes = static_cast<std::uint8_t>(to);
  d.inst.elements =
      static_cast<std::uint8_t>(static_cast<int>(round) | (c.integral ? 4 : 0) | (ftz ? 8 : 0) | (saturate ? 16 : 0));
  if (register_bytes == 8) d.inst.flags |= kWideData;
  if (register_bytes == 4) d.inst.flags |= kSignExtend;
  if (register_bytes == 8 && is_integer(to) && bytes_of(to) < 8) d.fail("the destination register has another width");
}

}  // namespace

void add_convert(Opcodes& table) {
  table["cvt"] = decode_cvt;
}

}  // namespace xqacheck::ptx
