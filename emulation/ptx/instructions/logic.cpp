// and, or, xor, not, cnot, lop3: of integers and of predicates.
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
// clang-format on

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

// ---- predicates

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

void decode_lop3(Decoder& d) {
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  d.expect_operands(5, 5);
  d.inst.a = d.source(1, Type::b32), d.inst.b = d.source(2, Type::b32), d.inst.c = d.source(3, Type::b32);
  d.inst.d = d.destination(0, Type::b32);
  d.inst.offset = d.immediate(4, "the look-up table");
  d.inst.run = run_lop3;
}

}  // namespace

void add_logic(Opcodes& table) {
  table["and"] = decode_and;
  table["or"] = decode_or;
  table["xor"] = decode_xor;
  table["not"] = decode_not;
  table["cnot"] = decode_cnot;
  table["lop3"] = decode_lop3;
}

}  // namespace xqacheck::ptx
