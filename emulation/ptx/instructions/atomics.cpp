// atom and red: integers, bits, f32, f64 and 16-bit pairs. Lanes act one after the other, in lane order.
#include <bit>
#include <cstring>

#include "emulation/arith/packed.hpp"
#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/access.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

enum class Op : std::uint8_t {
  add,
  exch,
  cas,
  inc,
  dec,
  minimum,
  maximum,
  band,
  bor,
  bxor,
  add_float,
  add_f16x2,
  add_bf16x2
};

// What memory holds afterwards. T is signed for signed types.
template <class T>
T combine(Op op, T old, T b, T c, bool global) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
    case Op::add:
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    case Op::exch:
      return b;
    case Op::cas:
      return old == b ? c : old;
    case Op::inc:
      return static_cast<U>(old) >= static_cast<U>(b) ? T{0} : static_cast<T>(old + 1);
    case Op::dec:
      return old == 0 || static_cast<U>(old) > static_cast<U>(b) ? b : static_cast<T>(old - 1);
    case Op::minimum:
      return old < b ? old : b;
    case Op::maximum:
      return old > b ? old : b;
    case Op::band:
      return old & b;
    case Op::bor:
      return old | b;
    case Op::bxor:
      return old ^ b;
    case Op::add_f16x2:
      if constexpr (sizeof(T) == 4) return static_cast<T>(arith::add_rn_f16x2(static_cast<W>(old), static_cast<W>(b)));
      return old;
    case Op::add_bf16x2:
      if constexpr (sizeof(T) == 4) return static_cast<T>(arith::add_rn_bf16x2(static_cast<W>(old), static_cast<W>(b)));
      return old;
    default:
      break;
  }
  if constexpr (sizeof(T) == 4) {
    // PTX ISA: on global memory atom.add.f32 flushes denormals, on shared memory it does not.
    const auto a = static_cast<W>(old), addend = static_cast<W>(b);
    return static_cast<T>(global ? arith::add_rn_ftz_f32(a, addend) : arith::add_rn_f32(a, addend));
  } else {
    return std::bit_cast<T>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
}

template <class T>
Step run_atomic(Warp& warp, const Inst& inst, LaneMask active) {
  std::uint64_t addresses[32];
  Located located;
  addresses_of(warp, inst, active, addresses);
  locate(warp, inst, active, addresses, {inst.access, inst.order, inst.scope, sizeof(T), 0}, located);
  const auto b = read<T>(warp, inst.b);
  const auto c = read<T>(warp, inst.c == kNoRef ? inst.b : inst.c);
  auto* out = inst.d == kNoRef ? nullptr : reinterpret_cast<Stored<T>*>(warp.words(inst.d));
  const Op op = static_cast<Op>(inst.which);
  each(active, [&](unsigned lane) {
    T old = 0;
    if ((located.legal >> lane & 1) != 0) {
      std::memcpy(&old, located.at[lane], sizeof old);
      const T fresh = combine<T>(op, old, b[lane], c[lane],
                                 inst.generic ? addresses[lane] >= kGlobalBegin : inst.space == Space::global);
      std::memcpy(located.at[lane], &fresh, sizeof fresh);
    }
    if (out != nullptr) out[lane] = static_cast<Stored<T>>(old);
  });
  Cta& cta = warp.cta();
  bool global = inst.space == Space::global;
  if (inst.generic) {
    global = false;
    each(active, [&](unsigned lane) { global = global || addresses[lane] >= kGlobalBegin; });
  }
  if (global && cta.machine().schedule() != nullptr)
    cta.machine().schedule()->after_atomic(cta.grid_number(), cta.linear(), warp.number());
  return Step::next;
}

Op take_operation(Decoder& d) {
  constexpr std::pair<std::string_view, Op> kNames[] = {
      {"add", Op::add},     {"exch", Op::exch},   {"cas", Op::cas},  {"inc", Op::inc}, {"dec", Op::dec},
      {"min", Op::minimum}, {"max", Op::maximum}, {"and", Op::band}, {"or", Op::bor},  {"xor", Op::bxor}};
  for (const auto& [name, op] : kNames)
    if (d.take(name)) return op;
  d.fail("the operation is missing or not supported");
}

void decode_atomic(Decoder& d, bool returns) {
  take_order(d);
  if (d.inst.order == Order::weak) d.inst.order = Order::relaxed;
  bool scoped = false;
  for (const auto& modifier : d.instruction().modifiers)
    scoped = scoped || modifier == "cta" || modifier == "cluster" || modifier == "gpu" || modifier == "sys";
  if (!scoped) d.inst.scope = Scope::gpu;
  const StateSpace space = d.take_space({StateSpace::global, StateSpace::shared}, StateSpace::generic);
  Op op = take_operation(d);
  d.take("noftz");
  const Type type = d.take_type();
  d.take_cache_hints();
  const std::size_t first = returns ? 1 : 0, data = op == Op::cas ? 2 : 1;
  d.expect_operands(first + 1 + data, first + 2 + data);
  d.address(d.operand(first), space);
  d.set_space(space, d.operand(first));
  if (type == Type::f16x2 || type == Type::bf16x2 || is_float(type)) {
    if (op != Op::add || type == Type::f16 || type == Type::bf16)
      d.fail("only .add of .f32, .f64, .f16x2 and .bf16x2 is supported");
    op = type == Type::f16x2 ? Op::add_f16x2 : type == Type::bf16x2 ? Op::add_bf16x2 : Op::add_float;
  }
  d.inst.access = returns ? AccessKind::atomic : AccessKind::reduction;
  d.inst.which = static_cast<std::uint8_t>(op);
  d.inst.b = d.source(first + 1, type);
  if (op == Op::cas) d.inst.c = d.source(first + 2, type);
  if (returns) d.inst.d = d.destination(0, type);
  const bool wide = bytes_of(type) == 8;
  if (bytes_of(type) < 4 || bytes_of(type) > 8) d.fail("types of 32 and 64 bits are supported");
  if (is_signed(type))
    d.inst.run = wide ? Handler(run_atomic<std::int64_t>) : Handler(run_atomic<std::int32_t>);
  else
    d.inst.run = wide ? Handler(run_atomic<Q>) : Handler(run_atomic<W>);
}

void decode_atom(Decoder& d) {
  decode_atomic(d, true);
}
void decode_red(Decoder& d) {
  if (d.take("async")) d.fail("red.async is not supported");
  decode_atomic(d, false);
}

}  // namespace

void add_atomics(Opcodes& table) {
  table["atom"] = decode_atom;
  table["red"] = decode_red;
}

}  // namespace xqacheck::ptx
