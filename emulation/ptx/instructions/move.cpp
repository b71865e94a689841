// mov (registers, literals, addresses, special registers, packing and unpacking), cvta, isspacep.
#include "emulation/ptx/instructions/move.hpp"

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"
#include "emulation/ptx/machine/cta.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

template <class T>
T same(T x) {
  return x;
}
template <class T>
Handler copy() {
  return lanewise1<T, T, same<T>>;
}
W low_word(Q x) {
  return static_cast<W>(x);
}

Step run_copy_predicate(Warp& warp, const Inst& inst, LaneMask active) {
  const LaneMask value = *warp.words(inst.a);
  write_predicate(warp, inst.d, active, (inst.flags & 1) != 0 ? ~value : value);
  return Step::next;
}

// {a, b, …} to one register, first part lowest. `bytes`: of one part.
Step run_pack(Warp& warp, const Inst& inst, LaneMask active) {
  const Ref* parts = warp.cta().program().lists.data() + inst.list;
  const unsigned bits = 8u * inst.bytes;
  each(active, [&](unsigned lane) {
    Q value = 0;
    for (unsigned i = 0; i < inst.list_count; ++i) value |= Q{warp.words(parts[i])[lane]} << (bits * i);
    W* out = warp.words(inst.d);
    if (bits * inst.list_count == 64) {
      out[2 * lane] = static_cast<W>(value), out[2 * lane + 1] = static_cast<W>(value >> 32);
    } else {
      out[lane] = static_cast<W>(value);
    }
  });
  return Step::next;
}

Step run_unpack(Warp& warp, const Inst& inst, LaneMask active) {
  const Ref* parts = warp.cta().program().lists.data() + inst.list;
  const unsigned bits = 8u * inst.bytes;
  const W* in = warp.words(inst.a);
  const W mask = bits == 32 ? ~W{0} : (W{1} << bits) - 1;
  each(active, [&](unsigned lane) {
    const Q value = bits * inst.list_count == 64 ? in[2 * lane] | Q{in[2 * lane + 1]} << 32 : in[lane];
    for (unsigned i = 0; i < inst.list_count; ++i)
      if (parts[i] != kNoRef) warp.words(parts[i])[lane] = static_cast<W>(value >> (bits * i)) & mask;
  });
  return Step::next;
}

// %clock, %clock64, %globaltimer: warp instructions executed so far, so that runs are repeatable.
Step run_clock(Warp& warp, const Inst& inst, LaneMask active) {
  const Q now = warp.cta().machine().clock() + warp.instructions();
  if ((inst.flags & kWideData) != 0)
    write<Q>(warp, inst.d, active, [&](unsigned) { return now; });
  else
    write<W>(warp, inst.d, active, [&](unsigned) { return static_cast<W>(now >> inst.which); });
  return Step::next;
}

bool decode_clock(Decoder& d, Type type) {
  const std::string& name = d.operand(1).name;
  const bool wide = name == "%clock64" || name == "%globaltimer";
  if (!wide && name != "%clock" && name != "%clock_hi" && name != "%globaltimer_lo" && name != "%globaltimer_hi")
    return false;
  if (wide != (bytes_of(type) == 8)) d.fail("the type does not fit the special register");
  d.inst.d = d.destination(0, type);
  if (wide) d.inst.flags |= kWideData;
  d.inst.which = name.ends_with("_hi") ? 32 : 0;
  d.inst.run = run_clock;
  return true;
}

Type part_type(Decoder& d, Type whole, std::size_t count) {
  const std::uint32_t bytes = bytes_of(whole) / static_cast<std::uint32_t>(count);
  if (bytes * count != bytes_of(whole) || (bytes != 1 && bytes != 2 && bytes != 4))
    d.fail("the vector does not fit the type");
  return bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8;
}

void decode_mov(Decoder& d) {
  const Type type = d.take_type();
  d.expect_operands(2, 2);
  if (type == Type::pred) {
    bool negated = false;
    d.inst.a = d.predicate(d.operand(1), negated);
    if (negated) d.inst.flags |= 1;
    d.inst.d = d.destination(0, type);
    d.inst.run = run_copy_predicate;
    return;
  }
  if (bytes_of(type) > 8) d.fail("types of at most 64 bits are supported");
  std::vector<Ref> parts;
  if (d.operand(1).kind == OperandKind::vector) {
    const Type part = part_type(d, type, d.operand(1).parts.size());
    for (const auto& operand : d.operand(1).parts) parts.push_back(d.source(operand, part));
    d.inst.bytes = static_cast<std::uint8_t>(bytes_of(part));
    d.inst.d = d.destination(0, type);
    d.inst.run = run_pack;
    d.set_list(parts);
    return;
  }
  if (d.operand(0).kind == OperandKind::vector) {
    const Type part = part_type(d, type, d.operand(0).parts.size());
    for (const auto& operand : d.operand(0).parts) parts.push_back(d.destination(operand, part));
    d.inst.bytes = static_cast<std::uint8_t>(bytes_of(part));
    d.inst.a = d.source(1, type);
    d.inst.run = run_unpack;
    d.set_list(parts);
    return;
  }
  if (d.operand(1).kind == OperandKind::special && decode_clock(d, type)) return;
  d.inst.a = d.source(1, type);
  d.inst.d = d.destination(0, type);
  d.inst.run = bytes_of(type) == 8 ? copy<Q>() : copy<W>();
}

Q window_of(StateSpace space) {
  return space == StateSpace::shared  ? kSharedWindow
         : space == StateSpace::local ? kLocalWindow
         : space == StateSpace::param ? kParamWindow
                                      : 0;
}

Step run_cvta(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<Q>(warp, inst.a);
  const Q window = static_cast<Q>(inst.offset);
  write<Q>(warp, inst.d, active, [&](unsigned lane) { return a[lane] + window; });
  return Step::next;
}

StateSpace take_any_space(Decoder& d) {
  d.take("shared::cluster");  // one CTA a cluster: the same window
  const StateSpace space =
      d.take_space({StateSpace::global, StateSpace::shared, StateSpace::local, StateSpace::constant, StateSpace::param},
                   StateSpace::generic);
  return space;
}

void decode_cvta(Decoder& d) {
  const bool to = d.take("to");
  const StateSpace space = take_any_space(d);
  if (space == StateSpace::generic) d.fail("the state space is missing");
  if (d.take_type() != Type::u64) d.fail("the type must be .u64");
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, Type::u64);
  d.inst.d = d.destination(0, Type::u64);
  const Q window = window_of(space);
  d.inst.offset = static_cast<std::int64_t>(to ? 0 - window : window);
  d.inst.run = window == 0 ? copy<Q>() : run_cvta;
}

Step run_isspacep(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<Q>(warp, inst.a);
  const Q window = static_cast<Q>(inst.offset);
  write_predicate(warp, inst.d, active, mask_where([&](unsigned lane) {
                    return window == 0 ? a[lane] >= kGlobalBegin : a[lane] >> 32 == window >> 32;
                  }));
  return Step::next;
}

void decode_isspacep(Decoder& d) {
  const StateSpace space = take_any_space(d);
  if (space == StateSpace::generic) d.fail("the state space is missing");
  d.expect_operands(2, 2);
  d.inst.a = d.source(1, Type::u64);
  d.inst.d = d.destination(0, Type::pred);
  d.inst.offset = static_cast<std::int64_t>(window_of(space));
  d.inst.run = run_isspacep;
}

}  // namespace

bool reads_clock(const Inst& inst) {
  return inst.run == run_clock;
}

Handler copy_low_words() {
  return lanewise1<W, Q, low_word>;
}

void add_move(Opcodes& table) {
  table["mov"] = decode_mov;
  table["cvta"] = decode_cvta;
  table["isspacep"] = decode_isspacep;
}

}  // namespace xqacheck::ptx
