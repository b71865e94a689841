// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, activemask: values between the lanes of a warp.
#include <bit>

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"
#include "emulation/ptx/machine/cta.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

enum class Shuffle : std::uint8_t { up, down, bfly, idx };

// d = value of the source lane; the predicate in list[0] says whether that lane is inside the segment that c describes:
// bits 0-4 the clamp, 8-12 the segment mask. Out of it, the lane's own value.
Step run_shuffle(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<W>(warp, inst.a), b = read<W>(warp, inst.b), c = read<W>(warp, inst.c);
  const Ref inside_ref = warp.cta().program().lists[inst.list];
  W values[32], result[32] = {};
  XQACHECK_EVERY_LANE values[lane] = a[lane];
  LaneMask inside = 0;
  each(active, [&](unsigned lane) {
    const W shift = b[lane] & 31, clamp = c[lane] & 31, segment = (c[lane] >> 8) & 31;
    const W highest = (lane & segment) | (clamp & ~segment);
    const W lowest = lane & segment;
    W from = 0;
    bool ok = false;
    switch (static_cast<Shuffle>(inst.which)) {
      case Shuffle::up:
        from = lane - shift;
        ok = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(highest);
        break;
      case Shuffle::down:
        from = lane + shift;
        ok = from <= highest;
        break;
      case Shuffle::bfly:
        from = lane ^ shift;
        ok = from <= highest;
        break;
      default:
        from = lowest | (shift & ~segment);
        ok = from <= highest;
    }
    if (!ok) from = lane;
    inside |= static_cast<LaneMask>(ok) << lane;
    result[lane] = values[from & 31];
  });
  if (inst.d != kNoRef) write<W>(warp, inst.d, active, [&](unsigned lane) { return result[lane]; });
  write_predicate(warp, inside_ref, active, inside);
  return Step::next;
}

void decode_shfl(Decoder& d) {
  if (!d.take("sync")) d.fail(".sync is missing");
  const auto mode = d.take_one_of({"up", "down", "bfly", "idx"});
  if (mode.empty()) d.fail(".up, .down, .bfly or .idx is missing");
  if (d.take_type() != Type::b32) d.fail("the type must be .b32");
  d.expect_operands(5, 5);
  const Operand& to = d.operand(0);
  const bool pair = to.kind == OperandKind::pair;
  d.inst.d = d.destination(pair ? to.parts[0] : to, Type::b32);
  d.set_list({pair ? d.destination(to.parts[1], Type::pred) : kNoRef});
  d.inst.a = d.source(1, Type::b32), d.inst.b = d.source(2, Type::b32), d.inst.c = d.source(3, Type::b32);
  d.inst.e = d.source(4, Type::b32);
  d.inst.which = static_cast<std::uint8_t>(mode == "up"     ? Shuffle::up
                                           : mode == "down" ? Shuffle::down
                                           : mode == "bfly" ? Shuffle::bfly
                                                            : Shuffle::idx);
  d.inst.together = Together::members;
  d.inst.run = run_shuffle;
}

enum class Vote : std::uint8_t { all, any, uni, ballot };

Step run_vote(Warp& warp, const Inst& inst, LaneMask active) {
  LaneMask values = *warp.words(inst.a);
  if ((inst.flags & 1) != 0) values = ~values;
  values &= active;
  switch (static_cast<Vote>(inst.which)) {
    case Vote::all:
      write_predicate(warp, inst.d, active, values == active ? kAllLanes : 0);
      break;
    case Vote::any:
      write_predicate(warp, inst.d, active, values != 0 ? kAllLanes : 0);
      break;
    case Vote::uni:
      write_predicate(warp, inst.d, active, values == active || values == 0 ? kAllLanes : 0);
      break;
    default:
      write<W>(warp, inst.d, active, [&](unsigned) { return values; });
  }
  return Step::next;
}

void decode_vote(Decoder& d) {
  if (!d.take("sync")) d.fail(".sync is missing");
  const auto mode = d.take_one_of({"all", "any", "uni", "ballot"});
  if (mode.empty()) d.fail(".all, .any, .uni or .ballot is missing");
  const Type type = d.take_type();
  if ((mode == "ballot") != (type == Type::b32)) d.fail("the type must be .b32 for .ballot, else .pred");
  d.expect_operands(3, 3);
  bool negated = false;
  d.inst.a = d.predicate(d.operand(1), negated);
  if (negated) d.inst.flags |= 1;
  d.inst.e = d.source(2, Type::b32);
  d.inst.d = d.destination(0, type);
  d.inst.which = static_cast<std::uint8_t>(mode == "all"   ? Vote::all
                                           : mode == "any" ? Vote::any
                                           : mode == "uni" ? Vote::uni
                                                           : Vote::ballot);
  d.inst.together = Together::members;
  d.inst.run = run_vote;
}

template <class T>
Step run_match(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a);
  W result[32] = {};
  bool all = true;
  const T first = a[static_cast<unsigned>(std::countr_zero(active))];
  each(active, [&](unsigned lane) {
    all = all && a[lane] == first;
    each(active, [&](unsigned other) { result[lane] |= static_cast<W>(a[lane] == a[other]) << other; });
  });
  const bool wants_all = inst.which == 1;
  if (wants_all) {
    for (W& mask : result) mask = all ? active : 0;
    write_predicate(warp, warp.cta().program().lists[inst.list], active, all ? kAllLanes : 0);
  }
  if (inst.d != kNoRef) write<W>(warp, inst.d, active, [&](unsigned lane) { return result[lane]; });
  return Step::next;
}

void decode_match(Decoder& d) {
  const auto mode = d.take_one_of({"any", "all"});
  if (mode.empty() || !d.take("sync")) d.fail(".any.sync or .all.sync is missing");
  const Type type = d.take_type();
  d.expect_operands(3, 3);
  const Operand& to = d.operand(0);
  const bool pair = to.kind == OperandKind::pair;
  d.inst.d = d.destination(pair ? to.parts[0] : to, Type::b32);
  d.set_list({pair ? d.destination(to.parts[1], Type::pred) : kNoRef});
  d.inst.a = d.source(1, type);
  d.inst.e = d.source(2, Type::b32);
  d.inst.which = mode == "all" ? 1 : 0;
  d.inst.together = Together::members;
  if (bytes_of(type) < 4) d.fail("the type must be .b32 or .b64");
  d.inst.run = bytes_of(type) == 8 ? run_match<Q> : run_match<W>;
}

enum class Redux : std::uint8_t { add, minimum, maximum, band, bor, bxor };

template <class T>
Step run_redux(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a);
  T total = a[static_cast<unsigned>(std::countr_zero(active))];
  each(active & (active - 1), [&](unsigned lane) {
    const T x = a[lane];
    switch (static_cast<Redux>(inst.which)) {
      case Redux::add:
        total = static_cast<T>(static_cast<W>(total) + static_cast<W>(x));
        break;
      case Redux::minimum:
        total = x < total ? x : total;
        break;
      case Redux::maximum:
        total = x > total ? x : total;
        break;
      case Redux::band:
        total = total & x;
        break;
      case Redux::bor:
        total = total | x;
        break;
      default:
        total = total ^ x;
    }
  });
  write<T>(warp, inst.d, active, [&](unsigned) { return total; });
  return Step::next;
}

void decode_redux(Decoder& d) {
  if (!d.take("sync")) d.fail(".sync is missing");
  const auto op = d.take_one_of({"add", "min", "max", "and", "or", "xor"});
  if (op.empty()) d.fail("the operation is missing");
  const Type type = d.take_type();
  if (bytes_of(type) != 4 || is_float(type)) d.fail("the type must be .u32, .s32 or .b32");
  d.expect_operands(3, 3);
  d.inst.a = d.source(1, type);
  d.inst.e = d.source(2, Type::b32);
  d.inst.d = d.destination(0, type);
  d.inst.which = static_cast<std::uint8_t>(op == "add"   ? Redux::add
                                           : op == "min" ? Redux::minimum
                                           : op == "max" ? Redux::maximum
                                           : op == "and" ? Redux::band
                                           : op == "or"  ? Redux::bor
                                                         : Redux::bxor);
  d.inst.together = Together::members;
  d.inst.run = type == Type::s32 ? Handler(run_redux<std::int32_t>) : Handler(run_redux<W>);
}

// The lowest lane is elected, as hardware does.
Step run_elect(Warp& warp, const Inst& inst, LaneMask active) {
  const auto leader = static_cast<W>(std::countr_zero(active));
  if (inst.d != kNoRef) write<W>(warp, inst.d, active, [&](unsigned) { return leader; });
  write_predicate(warp, warp.cta().program().lists[inst.list], active, 1u << leader);
  return Step::next;
}

void decode_elect(Decoder& d) {
  if (!d.take("sync")) d.fail(".sync is missing");
  d.expect_operands(2, 2);
  const Operand& to = d.operand(0);
  if (to.kind != OperandKind::pair) d.fail("the destination is d|p");
  d.inst.d = d.destination(to.parts[0], Type::b32);
  d.set_list({d.destination(to.parts[1], Type::pred)});
  d.inst.e = d.source(1, Type::b32);
  d.inst.together = Together::members;
  d.inst.run = run_elect;
}

Step run_activemask(Warp& warp, const Inst& inst, LaneMask active) {
  write<W>(warp, inst.d, active, [&](unsigned) { return active; });
  return Step::next;
}

void decode_activemask(Decoder& d) {
  d.take("b32");
  d.inst.d = d.destination(0, Type::b32);
  d.inst.run = run_activemask;
}

}  // namespace

void add_exchange(Opcodes& table) {
  table["shfl"] = decode_shfl;
  table["vote"] = decode_vote;
  table["match"] = decode_match;
  table["redux"] = decode_redux;
  table["elect"] = decode_elect;
  table["activemask"] = decode_activemask;
}

}  // namespace xqacheck::ptx
