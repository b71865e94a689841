// shl, shr, shf, prmt: bits and bytes moved within words.
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

// clang-format off
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

Type take_bits(Decoder& d) {
  const Type type = d.take_type();
  if (bytes_of(type) < 2 || bytes_of(type) > 8) d.fail("types of 16, 32 and 64 bits are supported");
  return type;
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

void three_words(Decoder& d) {
  d.expect_operands(4, 4);
  d.inst.a = d.source(1, Type::b32), d.inst.b = d.source(2, Type::b32), d.inst.c = d.source(3, Type::b32);
  d.inst.d = d.destination(0, Type::b32);
}

void decode_shf(Decoder& d) {
  const bool left = d.take("l");
  if (!left && !d.take("r")) d.fail(".l or .r is missing");
  const bool wrap = d.take("wrap");
  if (!wrap && !d.take("clamp")) d.fail(".wrap or .clamp is missing");
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  three_words(d);
  d.inst.run = left ? (wrap ? lanewise3<W, W, W, W, funnel_left_wrap> : lanewise3<W, W, W, W, funnel_left_clamp>)
                    : (wrap ? lanewise3<W, W, W, W, funnel_right_wrap> : lanewise3<W, W, W, W, funnel_right_clamp>);
}

void decode_prmt(Decoder& d) {
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  constexpr std::string_view kModes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  std::uint8_t mode = 0;
  for (std::uint8_t i = 1; i < 7; ++i)
    if (d.take(kModes[i])) mode = i;
  three_words(d);
  d.inst.which = mode;
  d.inst.run = mode == 0 ? Handler(lanewise3<W, W, W, W, permute>) : Handler(run_permute_mode);
}

}  // namespace

void add_shifts(Opcodes& table) {
  table["shl"] = decode_shl;
  table["shr"] = decode_shr;
  table["shf"] = decode_shf;
  table["prmt"] = decode_prmt;
}

}  // namespace xqacheck::ptx
