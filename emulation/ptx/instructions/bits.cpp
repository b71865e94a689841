// and, or, xor, not, cnot, lop3, shl, shr, shf, prmt, bfe, bfi, popc, clz, bfind, brev: bits of integers and
// predicates.
#include <bit>

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;
using H = std::uint16_t;

// clang-format off
template <class T> T bit_and(T a, T b) { return static_cast<T>(a & b); }
template <class T> T bit_or(T a, T b) { return static_cast<T>(a | b); }
template <class T> T bit_xor(T a, T b) { return static_cast<T>(a ^ b); }
template <class T> T bit_not(T a) { return static_cast<T>(~a); }
template <class T> T logical_not(T a) { return a == 0 ? 1 : 0; }
// Shift counts are unsigned 32-bit values; those beyond the width give zeros or signs.
template <class T> T shift_left(T a, W n) { return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << n); }
template <class T> T shift_right(T a, W n) {
  constexpr W kBits = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (n >= kBits ? kBits - 1 : n));
  return n >= kBits ? T{0} : static_cast<T>(a >> (n >= kBits ? 0 : n));
}
inline W funnel_left_wrap(W a, W b, W n) { n &= 31; return static_cast<W>((((Q{b} << 32) | a) << n) >> 32); }
inline W funnel_left_clamp(W a, W b, W n) { n = n > 32 ? 32 : n; return n == 32 ? a : funnel_left_wrap(a, b, n); }
inline W funnel_right_wrap(W a, W b, W n) { return static_cast<W>(((Q{b} << 32) | a) >> (n & 31)); }
inline W funnel_right_clamp(W a, W b, W n) { n = n > 32 ? 32 : n; return n == 32 ? b : funnel_right_wrap(a, b, n); }
// clang-format on

W reverse32(W a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(a);
}
Q reverse64(Q a) {
  return Q{reverse32(static_cast<W>(a))} << 32 | reverse32(static_cast<W>(a >> 32));
}
W count32(W a) {
  return static_cast<W>(std::popcount(a));
}
W count64(Q a) {
  return static_cast<W>(std::popcount(a));
}
W leading32(W a) {
  return static_cast<W>(std::countl_zero(a));
}
W leading64(Q a) {
  return static_cast<W>(std::countl_zero(a));
}

// Position of the highest bit that is not a sign bit; all ones when there is none.
template <class T, bool kShiftAmount>
W find_bit(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(a < 0 ? ~a : a);
  if (bits == 0) return ~W{0};
  const auto from_top = static_cast<W>(std::countl_zero(bits));
  return kShiftAmount ? from_top : static_cast<W>(8 * sizeof(T) - 1) - from_top;
}

// Extracted field, sign-extended for signed types: the sign is the field's top bit, or the register's where the field
// reaches beyond it. Position and length are eight bits wide.
template <class T>
T extract(T a, W position, W length) {
  using U = std::make_unsigned_t<T>;
  constexpr W kBits = 8 * sizeof(T);
  position &= 0xff, length &= 0xff;
  const U bits = static_cast<U>(a);
  const W top = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
  const bool sign = std::is_signed_v<T> && length != 0 && ((bits >> top) & 1) != 0;
  U field = position < kBits ? static_cast<U>(bits >> position) : 0;
  const W available = position < kBits ? kBits - position : 0;
  const W kept = length < available ? length : available;
  field = kept == 0 ? 0 : static_cast<U>(field & (~U{0} >> (kBits - kept)));
  if (sign && kept < kBits) field = static_cast<U>(field | (~U{0} << kept));
  return static_cast<T>(field);
}

template <class U>
U insert(U a, U b, W position, W length) {
  constexpr W kBits = 8 * sizeof(U);
  position &= 0xff, length &= 0xff;
  if (length == 0 || position >= kBits) return b;
  const U ones = length >= kBits ? ~U{0} : static_cast<U>((U{1} << length) - 1);
  const U mask = static_cast<U>(ones << position);
  return static_cast<U>((b & ~mask) | ((a << position) & mask));
}

W permute(W a, W b, W selector) {
  const Q bytes = Q{b} << 32 | a;
  W result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const W pick = selector >> (4 * i);
    W byte = static_cast<W>(bytes >> (8 * (pick & 7))) & 0xff;
    if ((pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// The other modes of prmt: byte i of the result by the low two bits of the selector.
W permute_mode(unsigned mode, W a, W b, W selector) {
  const unsigned s = selector & 3;
  W picks = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned pick = 0;
    switch (mode) {
      case 1:
        pick = s + i;
        break;  // f4e: four bytes from position s, upwards
      case 2:
        pick = (s - i) & 7;
        break;  // b4e: downwards
      case 3:
        pick = s;
        break;  // rc8: one byte four times
      case 4:
        pick = i < s ? s : i;
        break;  // ecl: not below s
      case 5:
        pick = i > s ? s : i;
        break;  // ecr: not above s
      default:
        pick = (s & 1) * 2 + (i & 1);
        break;  // rc16: one half twice
    }
    picks |= pick << (4 * i);
  }
  return permute(a, b, picks);
}

Step run_permute_mode(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<W>(warp, inst.a), b = read<W>(warp, inst.b), c = read<W>(warp, inst.c);
  const unsigned mode = inst.which;
  write<W>(warp, inst.d, active, [&](unsigned lane) { return permute_mode(mode, a[lane], b[lane], c[lane]); });
  return Step::next;
}

Step run_lop3(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<W>(warp, inst.a), b = read<W>(warp, inst.b), c = read<W>(warp, inst.c);
  const auto table = static_cast<W>(inst.offset);
  write<W>(warp, inst.d, active, [&](unsigned lane) {
    W result = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if ((table >> i & 1) == 0) continue;
      result |= ((i & 4) != 0 ? a[lane] : ~a[lane]) & ((i & 2) != 0 ? b[lane] : ~b[lane]) &
                ((i & 1) != 0 ? c[lane] : ~c[lane]);
    }
    return result;
  });
  return Step::next;
}

template <class U>
Step run_insert(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<U>(warp, inst.a), b = read<U>(warp, inst.b);
  const auto position = read<W>(warp, inst.c), length = read<W>(warp, inst.e);
  write<U>(warp, inst.d, active,
           [&](unsigned lane) { return insert<U>(a[lane], b[lane], position[lane], length[lane]); });
  return Step::next;
}

// ---- predicates
// --------------------------------------------------------------------------------------------------------

enum class PredicateOp : std::uint8_t { band, bor, bxor, bnot };

Step run_predicate(Warp& warp, const Inst& inst, LaneMask active) {
  LaneMask a = *warp.words(inst.a);
  if ((inst.flags & 1) != 0) a = ~a;
  LaneMask b = inst.b == kNoRef ? 0 : *warp.words(inst.b);
  if ((inst.flags & 2) != 0) b = ~b;
  LaneMask result = 0;
  switch (static_cast<PredicateOp>(inst.which)) {
    case PredicateOp::band:
      result = a & b;
      break;
    case PredicateOp::bor:
      result = a | b;
      break;
    case PredicateOp::bxor:
      result = a ^ b;
      break;
    default:
      result = ~a;
  }
  write_predicate(warp, inst.d, active, result);
  return Step::next;
}

bool decode_predicates(Decoder& d, Type type, PredicateOp op) {
  if (type != Type::pred) return false;
  const bool unary = op == PredicateOp::bnot;
  d.expect_operands(unary ? 2 : 3, unary ? 2 : 3);
  bool negated = false;
  d.inst.a = d.predicate(d.operand(1), negated);
  if (negated) d.inst.flags |= 1;
  if (!unary) {
    d.inst.b = d.predicate(d.operand(2), negated);
    if (negated) d.inst.flags |= 2;
  }
  d.inst.d = d.destination(0, Type::pred);
  d.inst.which = static_cast<std::uint8_t>(op);
  d.inst.run = run_predicate;
  return true;
}

// ---- decoding
// -----------------------------------------------------------------------------------------------------------

Type take_bits(Decoder& d) {
  const Type type = d.take_type();
  const auto bytes = bytes_of(type);
  if (type != Type::pred && (bytes < 2 || bytes > 8)) d.fail("types of 16, 32 and 64 bits are supported");
  return type;
}

void decode_logic(Decoder& d, PredicateOp op, Handler h, Handler w, Handler q) {
  const Type type = take_bits(d);
  if (decode_predicates(d, type, op)) return;
  const bool unary = op == PredicateOp::bnot;
  d.expect_operands(unary ? 2 : 3, unary ? 2 : 3);
  d.inst.a = d.source(1, type);
  if (!unary) d.inst.b = d.source(2, type);
  d.inst.d = d.destination(0, type);
  d.inst.run = bytes_of(type) == 2 ? h : bytes_of(type) == 4 ? w : q;
}

void decode_and(Decoder& d) {
  decode_logic(d, PredicateOp::band, lanewise2<H, H, H, bit_and<H>>, lanewise2<W, W, W, bit_and<W>>,
               lanewise2<Q, Q, Q, bit_and<Q>>);
}
void decode_or(Decoder& d) {
  decode_logic(d, PredicateOp::bor, lanewise2<H, H, H, bit_or<H>>, lanewise2<W, W, W, bit_or<W>>,
               lanewise2<Q, Q, Q, bit_or<Q>>);
}
void decode_xor(Decoder& d) {
  decode_logic(d, PredicateOp::bxor, lanewise2<H, H, H, bit_xor<H>>, lanewise2<W, W, W, bit_xor<W>>,
               lanewise2<Q, Q, Q, bit_xor<Q>>);
}
void decode_not(Decoder& d) {
  decode_logic(d, PredicateOp::bnot, lanewise1<H, H, bit_not<H>>, lanewise1<W, W, bit_not<W>>,
               lanewise1<Q, Q, bit_not<Q>>);
}
void decode_cnot(Decoder& d) {
  decode_logic(d, PredicateOp::bnot, lanewise1<H, H, logical_not<H>>, lanewise1<W, W, logical_not<W>>,
               lanewise1<Q, Q, logical_not<Q>>);
}

template <class T>
Handler shift(bool left) {
  using U = std::make_unsigned_t<T>;
  return left ? Handler(lanewise2<U, U, W, shift_left<U>>) : Handler(lanewise2<T, T, W, shift_right<T>>);
}

void decode_shift(Decoder& d, bool left) {
  const Type type = take_bits(d);
  d.expect_operands(3, 3);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, Type::u32);
  d.inst.d = d.destination(0, type);
  switch (type) {
    case Type::b16:
    case Type::u16:
      d.inst.run = shift<std::uint16_t>(left);
      break;
    case Type::s16:
      d.inst.run = shift<std::int16_t>(left);
      break;
    case Type::b32:
    case Type::u32:
      d.inst.run = shift<std::uint32_t>(left);
      break;
    case Type::s32:
      d.inst.run = shift<std::int32_t>(left);
      break;
    case Type::b64:
    case Type::u64:
      d.inst.run = shift<std::uint64_t>(left);
      break;
    case Type::s64:
      d.inst.run = shift<std::int64_t>(left);
      break;
    default:
      d.fail("an integer type is needed");
  }
}
void decode_shl(Decoder& d) {
  decode_shift(d, true);
}
void decode_shr(Decoder& d) {
  decode_shift(d, false);
}

void three_words(Decoder& d, std::size_t operands) {
  d.expect_operands(operands, operands);
  d.inst.a = d.source(1, Type::b32), d.inst.b = d.source(2, Type::b32), d.inst.c = d.source(3, Type::b32);
  d.inst.d = d.destination(0, Type::b32);
}

void decode_shf(Decoder& d) {
  const bool left = d.take("l");
  if (!left && !d.take("r")) d.fail(".l or .r is missing");
  const bool wrap = d.take("wrap");
  if (!wrap && !d.take("clamp")) d.fail(".wrap or .clamp is missing");
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  three_words(d, 4);
  d.inst.run = left ? (wrap ? lanewise3<W, W, W, W, funnel_left_wrap> : lanewise3<W, W, W, W, funnel_left_clamp>)
                    : (wrap ? lanewise3<W, W, W, W, funnel_right_wrap> : lanewise3<W, W, W, W, funnel_right_clamp>);
}

void decode_prmt(Decoder& d) {
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  constexpr std::string_view kModes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  std::uint8_t mode = 0;
  for (std::uint8_t i = 1; i < 7; ++i)
    if (d.take(kModes[i])) mode = i;
  three_words(d, 4);
  d.inst.which = mode;
  d.inst.run = mode == 0 ? Handler(lanewise3<W, W, W, W, permute>) : Handler(run_permute_mode);
}

void decode_lop3(Decoder& d) {
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  three_words(d, 5);
  d.inst.offset = d.immediate(4, "the look-up table");
  d.inst.run = run_lop3;
}

void decode_bfe(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(4, 4);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, Type::u32), d.inst.c = d.source(3, Type::u32);
  d.inst.d = d.destination(0, type);
  switch (type) {
    case Type::u32:
      d.inst.run = lanewise3<W, W, W, W, extract<W>>;
      break;
    case Type::s32:
      d.inst.run = lanewise3<std::int32_t, std::int32_t, W, W, extract<std::int32_t>>;
      break;
    case Type::u64:
      d.inst.run = lanewise3<Q, Q, W, W, extract<Q>>;
      break;
    case Type::s64:
      d.inst.run = lanewise3<std::int64_t, std::int64_t, W, W, extract<std::int64_t>>;
      break;
    default:
      d.fail("the type must be .u32, .s32, .u64 or .s64");
  }
}

void decode_bfi(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(5, 5);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type);
  d.inst.c = d.source(3, Type::u32), d.inst.e = d.source(4, Type::u32);
  d.inst.d = d.destination(0, type);
  if (bytes_of(type) < 4) d.fail("the type must be .b32 or .b64");
  d.inst.run = bytes_of(type) == 8 ? run_insert<Q> : run_insert<W>;
}

// popc, clz: a result of 32 bits from 32 or 64.
void decode_count(Decoder& d, Handler narrow, Handler wide) {
  const Type type = d.take_type();
  if (bytes_of(type) < 4) d.fail("a type of 32 or 64 bits is needed");
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, type);
  d.inst.d = d.destination(0, Type::u32);
  d.inst.run = bytes_of(type) == 8 ? wide : narrow;
}
void decode_popc(Decoder& d) {
  decode_count(d, lanewise1<W, W, count32>, lanewise1<W, Q, count64>);
}
void decode_clz(Decoder& d) {
  decode_count(d, lanewise1<W, W, leading32>, lanewise1<W, Q, leading64>);
}

template <bool kShiftAmount>
Handler finder(Type type) {
  switch (type) {
    case Type::u32:
      return lanewise1<W, W, find_bit<W, kShiftAmount>>;
    case Type::s32:
      return lanewise1<W, std::int32_t, find_bit<std::int32_t, kShiftAmount>>;
    case Type::u64:
      return lanewise1<W, Q, find_bit<Q, kShiftAmount>>;
    case Type::s64:
      return lanewise1<W, std::int64_t, find_bit<std::int64_t, kShiftAmount>>;
    default:
      return nullptr;
  }
}

void decode_bfind(Decoder& d) {
  const bool amount = d.take("shiftamt");
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, type);
  d.inst.d = d.destination(0, Type::u32);
  d.inst.run = amount ? finder<true>(type) : finder<false>(type);
  if (d.inst.run == nullptr) d.fail("the type must be .u32, .s32, .u64 or .s64");
}

void decode_brev(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, type);
  d.inst.d = d.destination(0, type);
  if (bytes_of(type) < 4) d.fail("the type must be .b32 or .b64");
  d.inst.run = bytes_of(type) == 8 ? lanewise1<Q, Q, reverse64> : lanewise1<W, W, reverse32>;
}

}  // namespace

void add_bits(Opcodes& table) {
  table["and"] = decode_and;
  table["or"] = decode_or;
  table["xor"] = decode_xor;
  table["not"] = decode_not;
  table["cnot"] = decode_cnot;
  table["shl"] = decode_shl;
  table["shr"] = decode_shr;
  table["shf"] = decode_shf;
  table["prmt"] = decode_prmt;
  table["lop3"] = decode_lop3;
  table["bfe"] = decode_bfe;
  table["bfi"] = decode_bfi;
  table["popc"] = decode_popc;
  table["clz"] = decode_clz;
  table["bfind"] = decode_bfind;
  table["brev"] = decode_brev;
}

}  // namespace xqacheck::ptx
