// bar, barrier (sync, arrive, red, warp.sync), membar and fence.
#include "emulation/ptx/instructions/barriers.hpp"

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/machine/lanes.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
enum class Reduce : std::uint8_t { none, popc, band, bor };

// a: id, b: threads or none, c: predicate. which: BarrierKind. flags: 1 aligned, 2 negated predicate. elements: Reduce.
Step run_barrier(Warp& warp, const Inst& inst, LaneMask active) {
  Cta& cta = warp.cta();
  const auto lane = static_cast<unsigned>(std::countr_zero(active));
  const W id = read<W>(warp, inst.a)[lane];
  const W count = inst.b == kNoRef ? 0 : read<W>(warp, inst.b)[lane];
  const auto kind = static_cast<BarrierKind>(inst.which);
  if (id > 15) cta.machine().fault(warp, active, "the barrier's number is beyond 15");
  if (count % 32 != 0 && cta.monitor() == nullptr)
    cta.machine().fault(warp, active, "the thread count of a barrier must be a multiple of 32");
  if (Monitor* monitor = cta.monitor())
    monitor->barrier_arrive({warp.at(active), kind, (inst.flags & 1) != 0, id, count});
  Cta::Barrier& barrier = cta.barrier(id);
  if (kind == BarrierKind::reduce) {
    LaneMask values = *warp.words(inst.c);
    if ((inst.flags & 2) != 0) values = ~values;
    barrier.sum += static_cast<W>(std::popcount(values & active));
    barrier.any = barrier.any || (values & active) != 0;
    barrier.all = barrier.all && (values & active) == active;
  }
  Fragment& fragment = warp.fragment();
  // A guard that holds for some lanes only: those wait, the others are misuse that the monitor reports; they wait too.
  if (kind != BarrierKind::arrive) {
    fragment.state = FragmentState::at_barrier;
    fragment.detail = id;
  }
  const bool completes = cta.barrier_arrive(id, count, static_cast<W>(std::popcount(active)));
  if (kind == BarrierKind::arrive) return Step::next;
  return completes ? Step::jumped : Step::waiting;  // the barrier has released this fragment with the others
}

Step run_warp_sync(Warp&, const Inst&, LaneMask) {
  return Step::next;
}

Step run_fence(Warp& warp, const Inst& inst, LaneMask active) {
  if (Monitor* monitor = warp.cta().monitor())
    monitor->fence(warp.at(active), static_cast<FenceKind>(inst.which), inst.scope);
  return Step::next;
}

void decode_barrier(Decoder& d) {
  const bool bar = d.instruction().opcode == "bar";
  d.take("cta");
  if (d.take("warp")) {
    if (!d.take("sync")) d.fail(".sync is missing");
    d.expect_operands(1, 1);
    d.inst.e = d.source(0, Type::b32);
    d.inst.together = Together::members;
    d.inst.run = run_warp_sync;
    return;
  }
  const auto what = d.take_one_of({"sync", "arrive", "red"});
  if (what.empty()) d.fail(".sync, .arrive or .red is missing");
  const bool aligned = d.take("aligned") || bar;
  d.inst.flags = aligned ? 1 : 0;
  d.inst.run = run_barrier;
  if (what != "red") {
    d.inst.which = static_cast<std::uint8_t>(what == "sync" ? BarrierKind::sync : BarrierKind::arrive);
    d.expect_operands(what == "arrive" ? 2 : 1, 2);
    d.inst.a = d.source(0, Type::u32);
    if (d.operand_count() == 2) d.inst.b = d.source(1, Type::u32);
    return;
  }
  d.inst.which = static_cast<std::uint8_t>(BarrierKind::reduce);
  const auto op = d.take_one_of({"popc", "and", "or"});
  if (op.empty()) d.fail(".popc, .and or .or is missing");
  const Reduce reduce = op == "popc" ? Reduce::popc : op == "and" ? Reduce::band : Reduce::bor;
  d.inst.elements = static_cast<std::uint8_t>(reduce);
  const Type type = d.take_type();
  if ((reduce == Reduce::popc) != (type == Type::u32)) d.fail("the type must be .u32 for .popc, else .pred");
  d.expect_operands(3, 4);
  d.inst.d = d.destination(0, type);
  d.inst.a = d.source(1, Type::u32);
  if (d.operand_count() == 4) d.inst.b = d.source(2, Type::u32);
  bool negated = false;
  d.inst.c = d.predicate(d.operand(d.operand_count() - 1), negated);
  if (negated) d.inst.flags |= 2;
}

void decode_membar(Decoder& d) {
  const auto level = d.take_one_of({"cta", "gl", "sys", "cluster"});
  if (level.empty()) d.fail(".cta, .gl or .sys is missing");
  d.inst.scope = level == "cta"   ? Scope::cta
                 : level == "gl"  ? Scope::gpu
                 : level == "sys" ? Scope::sys
                                  : Scope::cluster;
  // On sm_70 and later a synonym of fence.sc (PTX ISA, membar).
  d.inst.which = static_cast<std::uint8_t>(FenceKind::sc);
  d.inst.run = run_fence;
}

void decode_fence(Decoder& d) {
  d.inst.run = run_fence;
  if (d.take("proxy")) {
    if (d.take("alias")) {
      d.inst.which = static_cast<std::uint8_t>(FenceKind::acq_rel), d.inst.scope = Scope::cta;
      return;
    }
    if (!d.take("async")) d.fail("only .proxy.async and .proxy.alias are supported");
    d.take_one_of({"global", "shared::cta", "shared::cluster"});
    d.inst.which = static_cast<std::uint8_t>(FenceKind::proxy_async);
    d.inst.scope = Scope::cta;
    return;
  }
  if (d.take("mbarrier_init")) {
    d.take("release");
    d.take("cluster");
    d.inst.which = static_cast<std::uint8_t>(FenceKind::mbarrier_init);
    d.inst.scope = Scope::cluster;
    return;
  }
  const auto order = d.take_one_of({"sc", "acq_rel", "acquire", "release"});
  const auto scope = d.take_one_of({"cta", "cluster", "gpu", "sys"});
  if (scope.empty()) d.fail("the scope is missing");
  d.inst.which = static_cast<std::uint8_t>(order == "sc" ? FenceKind::sc : FenceKind::acq_rel);  // acq_rel if none
  d.inst.scope = scope == "cta"       ? Scope::cta
                 : scope == "cluster" ? Scope::cluster
                 : scope == "gpu"     ? Scope::gpu
                                      : Scope::sys;
}

}  // namespace

void finish_reduction(Warp& warp, const Inst& inst, LaneMask lanes, const Cta::Barrier& barrier) {
  if (inst.run != run_barrier || static_cast<BarrierKind>(inst.which) != BarrierKind::reduce) return;
  switch (static_cast<Reduce>(inst.elements)) {
    case Reduce::popc:
      if (inst.d != kNoRef) write<W>(warp, inst.d, lanes, [&](unsigned) { return barrier.sum; });
      break;
    case Reduce::band:
      write_predicate(warp, inst.d, lanes, barrier.all ? kAllLanes : 0);
      break;
    default:
      write_predicate(warp, inst.d, lanes, barrier.any ? kAllLanes : 0);
  }
}

bool is_warp_barrier(const Inst& inst) {
  return inst.run == run_warp_sync;
}

void add_barriers(Opcodes& table) {
  table["bar"] = decode_barrier;
  table["barrier"] = decode_barrier;
  table["membar"] = decode_membar;
  table["fence"] = decode_fence;
}

}  // namespace xqacheck::ptx
