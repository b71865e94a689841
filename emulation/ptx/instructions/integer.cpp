// add, sub, mul, mad, div, rem, abs, neg, min, max, sad, dp4a of integers.
#include <limits>
#include <type_traits>

#include "emulation/ptx/instructions/carry.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

// Arithmetic wraps; done on unsigned values. Narrow ones are widened first: C++ would make them int.
template <class T>
using Unsigned = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
template <class T>
using Twice = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>>;

// clang-format off
template <class T> T add(T a, T b) { return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b)); }
template <class T> T sub(T a, T b) { return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b)); }
template <class T> T mul_lo(T a, T b) { return static_cast<T>(Unsigned<T>(a) * Unsigned<T>(b)); }
template <class T> T mul_hi(T a, T b) { return static_cast<T>((Twice<T>(a) * Twice<T>(b)) >> (8 * sizeof(T))); }
template <class T> Twice<T> mul_wide(T a, T b) { return Twice<T>(a) * Twice<T>(b); }
template <class T> T mad_lo(T a, T b, T c) { return add<T>(mul_lo<T>(a, b), c); }
template <class T> T mad_hi(T a, T b, T c) { return add<T>(mul_hi<T>(a, b), c); }
template <class T> Twice<T> mad_wide(T a, T b, Twice<T> c) { return add<Twice<T>>(mul_wide<T>(a, b), c); }
template <class T> T minimum(T a, T b) { return a < b ? a : b; }
template <class T> T maximum(T a, T b) { return a > b ? a : b; }
template <class T> T negate(T a) { return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(a)); }
template <class T> T absolute(T a) { return a < 0 ? negate<T>(a) : a; }
template <class T> T sum_of_difference(T a, T b, T c) { return add<T>(c, a < b ? sub<T>(b, a) : sub<T>(a, b)); }
// clang-format on

template <class T>
T saturated_add(T a, T b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<T>(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
}
template <class T>
T saturated_sub(T a, T b) {
  const std::int64_t difference = std::int64_t{a} - b;
  return static_cast<T>(difference < INT32_MIN ? INT32_MIN : difference > INT32_MAX ? INT32_MAX : difference);
}

// PTX leaves division by zero open; all ones is what the hardware's sequence gives.
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return negate<T>(a);
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}

enum class Op : std::uint8_t { add, sub, mul_lo, mul_hi, div, rem, min, max };

template <class T>
Handler binary(Op op) {
  switch (op) {
    case Op::add:
      return lanewise2<T, T, T, add<T>>;
    case Op::sub:
      return lanewise2<T, T, T, sub<T>>;
    case Op::mul_lo:
      return lanewise2<T, T, T, mul_lo<T>>;
    case Op::mul_hi:
      return lanewise2<T, T, T, mul_hi<T>>;
    case Op::div:
      return each_lane2<T, T, T, divide<T>>;
    case Op::rem:
      return each_lane2<T, T, T, remainder<T>>;
    case Op::min:
      return lanewise2<T, T, T, minimum<T>>;
    default:
      return lanewise2<T, T, T, maximum<T>>;
  }
}

// Calls f with a value of the C++ type; false for a type that is no integer of 16 to 64 bits.
template <class F>
bool with_integer(Type type, F&& f) {
  switch (type) {
    case Type::u16:
      return f(std::uint16_t{}), true;
    case Type::s16:
      return f(std::int16_t{}), true;
    case Type::u32:
      return f(std::uint32_t{}), true;
    case Type::s32:
      return f(std::int32_t{}), true;
    case Type::u64:
      return f(std::uint64_t{}), true;
    case Type::s64:
      return f(std::int64_t{}), true;
    default:
      return false;
  }
}

void sources(Decoder& d, Type type, std::size_t count) {
  d.expect_operands(count + 1, count + 1);
  d.inst.a = d.source(1, type);
  if (count > 1) d.inst.b = d.source(2, type);
  if (count > 2) d.inst.c = d.source(3, type);
}

void wrong_type(Decoder& d, Type type) {
  d.fail(std::string("type .") + name_of(type) + " is not supported here");
}

// ---- decoding
// ---------------------------------------------------------------------------------------------------------------

void decode_binary(Decoder& d, Op op) {
  const Type type = d.take_type();
  sources(d, type, 2);
  d.inst.d = d.destination(0, type);
  if (!with_integer(type, [&](auto zero) { d.inst.run = binary<decltype(zero)>(op); })) wrong_type(d, type);
}

void decode_add(Decoder& d) {
  if (decode_float_arithmetic(d) || decode_carry(d, false, false)) return;
  const bool saturate = d.take("sat");
  decode_binary(d, Op::add);
  if (saturate) d.inst.run = lanewise2<std::int32_t, std::int32_t, std::int32_t, saturated_add<std::int32_t>>;
}
void decode_sub(Decoder& d) {
  if (decode_float_arithmetic(d) || decode_carry(d, false, true)) return;
  const bool saturate = d.take("sat");
  decode_binary(d, Op::sub);
  if (saturate) d.inst.run = lanewise2<std::int32_t, std::int32_t, std::int32_t, saturated_sub<std::int32_t>>;
}

void decode_mul(Decoder& d) {
  if (decode_float_arithmetic(d)) return;
  const auto part = d.take_one_of({"lo", "hi", "wide"});
  if (part.empty()) d.fail(".lo, .hi or .wide is missing");
  if (part != "wide") return decode_binary(d, part == "lo" ? Op::mul_lo : Op::mul_hi);
  const Type type = d.take_type();
  sources(d, type, 2);
  const bool known = with_integer(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) < 8) {
      d.inst.d = d.destination(0, sizeof(T) == 4 ? Type::u64 : Type::u32);
      d.inst.run = lanewise2<Twice<T>, T, T, mul_wide<T>>;
    } else {
      d.fail(".wide has no 64-bit form");
    }
  });
  if (!known) wrong_type(d, type);
}

void decode_mad(Decoder& d) {
  if (decode_float_arithmetic(d)) return;
  const auto part = d.take_one_of({"lo", "hi", "wide"});
  if (part.empty()) d.fail(".lo, .hi or .wide is missing");
  const Type type = d.take_type();
  d.expect_operands(4, 4);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type);
  const bool known = with_integer(type, [&](auto zero) {
    using T = decltype(zero);
    if (part != "wide") {
      d.inst.c = d.source(3, type);
      d.inst.d = d.destination(0, type);
      d.inst.run = part == "lo" ? Handler(lanewise3<T, T, T, T, mad_lo<T>>) : Handler(lanewise3<T, T, T, T, mad_hi<T>>);
    } else if constexpr (sizeof(T) < 8) {
      const Type wide = sizeof(T) == 4 ? Type::u64 : Type::u32;
      d.inst.c = d.source(3, wide);
      d.inst.d = d.destination(0, wide);
      d.inst.run = lanewise3<Twice<T>, T, T, Twice<T>, mad_wide<T>>;
    } else {
      d.fail(".wide has no 64-bit form");
    }
  });
  if (!known) wrong_type(d, type);
}

void decode_div(Decoder& d) {
  const auto& modifiers = d.instruction().modifiers;
  if (!modifiers.empty() && is_float(type_of(modifiers.back()).value_or(Type::none))) return decode_float_divide(d);
  decode_binary(d, Op::div);
}
void decode_rem(Decoder& d) {
  decode_binary(d, Op::rem);
}
void decode_min(Decoder& d) {
  if (!decode_float_arithmetic(d)) decode_binary(d, Op::min);
}
void decode_max(Decoder& d) {
  if (!decode_float_arithmetic(d)) decode_binary(d, Op::max);
}

void decode_unary(Decoder& d, bool absolute_value) {
  const Type type = d.take_type();
  sources(d, type, 1);
  d.inst.d = d.destination(0, type);
  const bool known = with_integer(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_signed_v<T>)
      d.inst.run = absolute_value ? Handler(lanewise1<T, T, absolute<T>>) : Handler(lanewise1<T, T, negate<T>>);
    else
      wrong_type(d, type);
  });
  if (!known) wrong_type(d, type);
}
void decode_abs(Decoder& d) {
  if (!decode_float_arithmetic(d)) decode_unary(d, true);
}
void decode_neg(Decoder& d) {
  if (!decode_float_arithmetic(d)) decode_unary(d, false);
}

void decode_sad(Decoder& d) {
  const Type type = d.take_type();
  sources(d, type, 3);
  d.inst.d = d.destination(0, type);
  const bool known = with_integer(type, [&](auto zero) {
    using T = decltype(zero);
    d.inst.run = lanewise3<T, T, T, T, sum_of_difference<T>>;
  });
  if (!known) wrong_type(d, type);
}

// ---- dp4a: four byte products
// --------------------------------------------------------------------------------------------

template <class A, class B>
std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<A>(a >> (8 * i))) *
                                    static_cast<std::int32_t>(static_cast<B>(b >> (8 * i))));
  return c;
}

void decode_dp4a(Decoder& d) {
  using W = std::uint32_t;
  const Type a = d.take_type(), b = d.take_type();
  sources(d, Type::b32, 3);
  d.inst.d = d.destination(0, Type::b32);
  const bool sa = a == Type::s32, sb = b == Type::s32;
  if ((!sa && a != Type::u32) || (!sb && b != Type::u32)) d.fail("the types are .u32 or .s32");
  d.inst.run = sa ? (sb ? Handler(lanewise3<W, W, W, W, dot4<std::int8_t, std::int8_t>>)
                        : Handler(lanewise3<W, W, W, W, dot4<std::int8_t, std::uint8_t>>))
                  : (sb ? Handler(lanewise3<W, W, W, W, dot4<std::uint8_t, std::int8_t>>)
                        : Handler(lanewise3<W, W, W, W, dot4<std::uint8_t, std::uint8_t>>));
}

}  // namespace

void add_integer(Opcodes& table) {
  table["add"] = decode_add;
  table["sub"] = decode_sub;
  table["mul"] = decode_mul;
  table["mad"] = decode_mad;
  table["div"] = decode_div;
  table["rem"] = decode_rem;
  table["min"] = decode_min;
  table["max"] = decode_max;
  table["abs"] = decode_abs;
  table["neg"] = decode_neg;
  table["sad"] = decode_sad;
  table["dp4a"] = decode_dp4a;
}

}  // namespace xqacheck::ptx
