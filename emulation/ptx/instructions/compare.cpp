// setp, set, selp, slct.
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;

enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <class T, Compare kCompare>
bool compare(T a, T b) {
  const bool unordered = a != a || b != b;
  switch (kCompare) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b && !unordered;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    case Compare::ge:
      return a >= b;
    case Compare::equ:
      return a == b || unordered;
    case Compare::neu:
      return a != b;
    case Compare::ltu:
      return a < b || unordered;
    case Compare::leu:
      return a <= b || unordered;
    case Compare::gtu:
      return a > b || unordered;
    case Compare::geu:
      return a >= b || unordered;
    case Compare::num:
      return !unordered;
    default:
      return unordered;
  }
}

// How an operand of the instruction becomes a value to compare.
float as_float(W x) {
  return std::bit_cast<float>(x);
}
float as_flushed(W x) {
  return std::bit_cast<float>((x & 0x7f800000u) == 0 ? x & 0x80000000u : x);
}
float bf16_as_float(std::uint16_t x) {
  return std::bit_cast<float>(W{x} << 16);
}
float f16_as_float(std::uint16_t x) {
  const W magnitude = x & 0x7fffu, sign = static_cast<W>(x & 0x8000u) << 16;
  if (magnitude > 0x7c00u) return std::bit_cast<float>(0x7fffffffu);
  if (magnitude == 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u);
  if (magnitude >= 0x0400u) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return sign != 0 ? -value : value;
}
double as_double(std::uint64_t x) {
  return std::bit_cast<double>(x);
}
template <class T>
T as_is(T x) {
  return x;
}

// kLogic: 0 none, 1 and, 2 or, 3 xor with predicate c.
LaneMask combine(const Warp& warp, const Inst& inst, LaneMask result, bool complement) {
  if (complement) result = ~result;
  if (inst.c == kNoRef) return result;
  LaneMask other = *warp.words(inst.c);
  if ((inst.flags & 1) != 0) other = ~other;
  return inst.which == 1 ? result & other : inst.which == 2 ? result | other : result ^ other;
}

template <class T, auto Value, Compare kCompare>
Step run_setp(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a), b = read<T>(warp, inst.b);
  const LaneMask result = mask_where(
      [&](unsigned lane) { return compare<decltype(Value(T{})), kCompare>(Value(a[lane]), Value(b[lane])); });
  write_predicate(warp, inst.d, active, combine(warp, inst, result, false));
  write_predicate(warp, inst.e, active, combine(warp, inst, result, true));
  return Step::next;
}

// set: all ones, or 1.0 for an .f32 destination.
template <class T, auto Value, Compare kCompare>
Step run_set(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a), b = read<T>(warp, inst.b);
  const LaneMask result = combine(warp, inst, mask_where([&](unsigned lane) {
                                    return compare<decltype(Value(T{})), kCompare>(Value(a[lane]), Value(b[lane]));
                                  }),
                                  false);
  const auto yes = static_cast<W>(inst.offset);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return (result >> lane & 1) != 0 ? yes : W{0}; });
  return Step::next;
}

template <class T, auto Value, bool kSet>
Handler pick(Compare c) {
  const auto handler = []<Compare kCompare>() -> Handler {
    if constexpr (kSet)
      return run_set<T, Value, kCompare>;
    else
      return run_setp<T, Value, kCompare>;
  };
  switch (c) {
    case Compare::eq:
      return handler.template operator()<Compare::eq>();
    case Compare::ne:
      return handler.template operator()<Compare::ne>();
    case Compare::lt:
      return handler.template operator()<Compare::lt>();
    case Compare::le:
      return handler.template operator()<Compare::le>();
    case Compare::gt:
      return handler.template operator()<Compare::gt>();
    case Compare::ge:
      return handler.template operator()<Compare::ge>();
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<decltype(Value(T{}))>) {
    switch (c) {
      case Compare::equ:
        return handler.template operator()<Compare::equ>();
      case Compare::neu:
        return handler.template operator()<Compare::neu>();
      case Compare::ltu:
        return handler.template operator()<Compare::ltu>();
      case Compare::leu:
        return handler.template operator()<Compare::leu>();
      case Compare::gtu:
        return handler.template operator()<Compare::gtu>();
      case Compare::geu:
        return handler.template operator()<Compare::geu>();
      case Compare::num:
        return handler.template operator()<Compare::num>();
      case Compare::nan:
        return handler.template operator()<Compare::nan>();
      default:
        break;
    }
  }
  return nullptr;
}

template <bool kSet>
Handler handler_of(Type type, Compare c, bool ftz) {
  switch (type) {
    case Type::b16:
    case Type::u16:
      return pick<std::uint16_t, as_is<std::uint16_t>, kSet>(c);
    case Type::s16:
      return pick<std::int16_t, as_is<std::int16_t>, kSet>(c);
    case Type::b32:
    case Type::u32:
      return pick<std::uint32_t, as_is<std::uint32_t>, kSet>(c);
    case Type::s32:
      return pick<std::int32_t, as_is<std::int32_t>, kSet>(c);
    case Type::b64:
    case Type::u64:
      return pick<std::uint64_t, as_is<std::uint64_t>, kSet>(c);
    case Type::s64:
      return pick<std::int64_t, as_is<std::int64_t>, kSet>(c);
    case Type::f32:
      return ftz ? pick<W, as_flushed, kSet>(c) : pick<W, as_float, kSet>(c);
    case Type::f64:
      return pick<std::uint64_t, as_double, kSet>(c);
    case Type::f16:
      return pick<std::uint16_t, f16_as_float, kSet>(c);
    case Type::bf16:
      return pick<std::uint16_t, bf16_as_float, kSet>(c);
    default:
      return nullptr;
  }
}

Compare take_comparison(Decoder& d, bool& is_unsigned) {
  constexpr std::pair<std::string_view, Compare> kNames[] = {
      {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
      {"ge", Compare::ge},   {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu},
      {"gtu", Compare::gtu}, {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}, {"lo", Compare::lt},
      {"ls", Compare::le},   {"hi", Compare::gt},   {"hs", Compare::ge}};
  for (const auto& [name, comparison] : kNames) {
    if (!d.take(name)) continue;
    is_unsigned = name == "lo" || name == "ls" || name == "hi" || name == "hs";
    return comparison;
  }
  d.fail("the comparison is missing");
}

// d, a, b [, c]: c is the predicate of .and, .or, .xor.
template <bool kSet>
void decode_comparison(Decoder& d) {
  bool is_unsigned = false;
  const Compare comparison = take_comparison(d, is_unsigned);
  const auto logic = d.take_one_of({"and", "or", "xor"});
  const bool ftz = d.take("ftz");
  Type result = Type::pred;
  if (kSet) result = d.take_type();
  const Type type = d.take_type();
  const std::size_t operands = logic.empty() ? 3 : 4;
  d.expect_operands(operands, operands);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type);
  if (!logic.empty()) {
    bool negated = false;
    d.inst.c = d.predicate(d.operand(3), negated);
    if (negated) d.inst.flags |= 1;
    d.inst.which = logic == "and" ? 1 : logic == "or" ? 2 : 3;
  }
  if (kSet) {
    if (result != Type::u32 && result != Type::s32 && result != Type::f32) d.fail("the result is .u32, .s32 or .f32");
    d.inst.d = d.destination(0, result);
    d.inst.offset = result == Type::f32 ? 0x3f800000 : 0xffffffff;
  } else if (d.operand(0).kind == OperandKind::pair) {
    d.inst.d = d.destination(d.operand(0).parts[0], Type::pred);
    d.inst.e = d.destination(d.operand(0).parts[1], Type::pred);
  } else {
    d.inst.d = d.destination(0, Type::pred);
  }
  d.inst.run = handler_of<kSet>(type, comparison, ftz);
  if (d.inst.run == nullptr || (is_unsigned && (is_signed(type) || is_float(type))))
    d.fail("this comparison does not exist for the type");
}

template <class T>
Step run_select(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a), b = read<T>(warp, inst.b);
  LaneMask choice = *warp.words(inst.c);
  if ((inst.flags & 1) != 0) choice = ~choice;
  write<T>(warp, inst.d, active, [&](unsigned lane) { return (choice >> lane & 1) != 0 ? a[lane] : b[lane]; });
  return Step::next;
}

void decode_selp(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(4, 4);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type);
  bool negated = false;
  d.inst.c = d.predicate(d.operand(3), negated);
  if (negated) d.inst.flags |= 1;
  d.inst.d = d.destination(0, type);
  d.inst.run = bytes_of(type) == 8 ? Handler(run_select<std::uint64_t>) : Handler(run_select<std::uint32_t>);
}

template <class T, bool kFloat, bool kFlush>
Step run_slct(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a), b = read<T>(warp, inst.b);
  const auto c = read<W>(warp, inst.c);
  write<T>(warp, inst.d, active, [&](unsigned lane) {
    const bool first =
        kFloat ? (kFlush ? as_flushed(c[lane]) : as_float(c[lane])) >= 0 : static_cast<std::int32_t>(c[lane]) >= 0;
    return first ? a[lane] : b[lane];
  });
  return Step::next;
}

void decode_slct(Decoder& d) {
  const bool ftz = d.take("ftz");
  const Type type = d.take_type(), by = d.take_type();
  if (by != Type::s32 && by != Type::f32) d.fail("the last type is .s32 or .f32");
  d.expect_operands(4, 4);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type), d.inst.c = d.source(3, by);
  d.inst.d = d.destination(0, type);
  const bool wide = bytes_of(type) == 8;
  if (by == Type::s32)
    d.inst.run = wide ? run_slct<std::uint64_t, false, false> : run_slct<W, false, false>;
  else if (ftz)
    d.inst.run = wide ? run_slct<std::uint64_t, true, true> : run_slct<W, true, true>;
  else
    d.inst.run = wide ? run_slct<std::uint64_t, true, false> : run_slct<W, true, false>;
}

}  // namespace

void add_compare(Opcodes& table) {
  table["setp"] = decode_comparison<false>;
  table["set"] = decode_comparison<true>;
  table["selp"] = decode_selp;
  table["slct"] = decode_slct;
}

}  // namespace xqacheck::ptx
