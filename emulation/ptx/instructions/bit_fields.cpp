// bfe, bfi, popc, clz, bfind, brev: fields of integers, bits counted and found.
#include <bit>

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

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

template <class U>
Step run_insert(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<U>(warp, inst.a), b = read<U>(warp, inst.b);
  const auto position = read<W>(warp, inst.c), length = read<W>(warp, inst.e);
  write<U>(warp, inst.d, active,
           [&](unsigned lane) { return insert<U>(a[lane], b[lane], position[lane], length[lane]); });
  return Step::next;
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

void add_bit_fields(Opcodes& table) {
  table["bfe"] = decode_bfe;
  table["bfi"] = decode_bfi;
  table["popc"] = decode_popc;
  table["clz"] = decode_clz;
  table["bfind"] = decode_bfind;
  table["brev"] = decode_brev;
}

}  // namespace xqacheck::ptx
