// mbarrier.init, .inval, .arrive, .arrive_drop, .expect_tx, .complete_tx, .pending_count; mbarrier_waits.cpp has the waits.
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/mbarrier_object.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

// f(lanes, value) for each value that the lanes hold.
template <class V, class F>
void each_same(LaneMask lanes, const V& values, F&& f) {
  for (LaneMask rest = lanes; rest != 0;) {
    const W value = values[static_cast<unsigned>(std::countr_zero(rest))];
    LaneMask same = 0;
    each(rest, [&](unsigned lane) { same |= static_cast<LaneMask>(values[lane] == value) << lane; });
    f(same, value);
    rest &= ~same;
  }
}

Step run_init(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  mbarrier_addresses(warp, inst, active, addresses);
  const auto count = read<W>(warp, inst.b);
  each(active, [&](unsigned lane) {
    std::byte* at = mbarrier_at(warp, 1u << lane, addresses[lane]);
    if (Monitor* monitor = warp.cta().monitor()) {
      Mbarrier event = mbarrier_event(warp, inst, 1u << lane, MbarrierKind::init, addresses[lane]);
      event.count = count[lane];
      monitor->mbarrier(event);
    }
    if (count[lane] == 0 || count[lane] > kMbarrierMostArrivals)
      warp.cta().machine().fault(warp, 1u << lane, "mbarrier.init: the count must be 1 to 32767");
    store_mbarrier(at, {0, count[lane], count[lane], 0});
  });
  return Step::next;
}

Step run_inval(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  mbarrier_addresses(warp, inst, active, addresses);
  each(active, [&](unsigned lane) {
    mbarrier_at(warp, 1u << lane, addresses[lane]);
    if (Monitor* monitor = warp.cta().monitor())
      monitor->mbarrier(mbarrier_event(warp, inst, 1u << lane, MbarrierKind::inval, addresses[lane]));
  });
  return Step::next;
}

// which: 1 drop, 2 with expect_tx (bytes in c); b: count, or none. d: state token, or none.
Step run_arrive(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  mbarrier_addresses(warp, inst, active, addresses);
  each_object(active, addresses, [&](LaneMask lanes, Q address) {
    if ((inst.which & 2) != 0) {
      MbarrierState state = load_mbarrier(mbarrier_at(warp, lanes, address));
      each(lanes, [&](unsigned lane) {
        const W bytes = read<W>(warp, inst.c)[lane];
        state.bytes += static_cast<std::int32_t>(bytes);
        if (Monitor* monitor = warp.cta().monitor()) {
          Mbarrier event = mbarrier_event(warp, inst, 1u << lane, MbarrierKind::expect_tx, address);
          event.count = bytes, event.phase = state.phase;
          monitor->mbarrier(event);
        }
      });
      store_mbarrier(mbarrier_at(warp, lanes, address), state);
    }
    // The token of all lanes is the state before they arrived: only its phase matters.
    const auto count = read<W>(warp, inst.b);
    each_same(lanes, count, [&](LaneMask same, W value) {
      const Q token = mbarrier_arrive(warp, warp.at(same), address, static_cast<W>(std::popcount(same)), value,
                                      inst.order, inst.scope, (inst.which & 1) != 0);
      if (inst.d != kNoRef) write<Q>(warp, inst.d, same, [&](unsigned) { return token; });
    });
  });
  return Step::next;
}

// expect_tx, complete_tx alone
Step run_transactions(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  mbarrier_addresses(warp, inst, active, addresses);
  const auto bytes = read<W>(warp, inst.b);
  const bool complete = inst.which == 1;
  each(active, [&](unsigned lane) {
    std::byte* at = mbarrier_at(warp, 1u << lane, addresses[lane]);
    MbarrierState state = load_mbarrier(at);
    Mbarrier event = mbarrier_event(warp, inst, 1u << lane, complete ? MbarrierKind::complete_tx : MbarrierKind::expect_tx,
                              addresses[lane]);
    event.count = bytes[lane], event.phase = state.phase;
    state.bytes += complete ? -static_cast<std::int32_t>(bytes[lane]) : static_cast<std::int32_t>(bytes[lane]);
    event.completes = complete && settle_mbarrier(state);
    if (Monitor* monitor = warp.cta().monitor()) monitor->mbarrier(event);
    store_mbarrier(at, state);
  });
  return Step::next;
}

Step run_pending_count(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<Q>(warp, inst.a);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return unpack_mbarrier(a[lane]).pending; });
  return Step::next;
}

void decode_arrive(Decoder& d, bool drop) {
  const bool expect = d.take("expect_tx");
  d.take("noComplete");
  take_mbarrier_scope(d, Order::release);
  const bool returns = d.operand(0).kind != OperandKind::address;
  const std::size_t at = returns ? 1 : 0;
  take_mbarrier(d, at);
  d.expect_operands(at + 1, at + 2);
  d.inst.which = static_cast<std::uint8_t>((drop ? 1 : 0) | (expect ? 2 : 0));
  d.inst.b = d.constant(1, false);
  if (expect)
    d.inst.c = d.source(at + 1, Type::u32);
  else if (d.operand_count() > at + 1)
    d.inst.b = d.source(at + 1, Type::u32);
  if (returns) d.inst.d = d.destination(0, Type::b64);
  d.inst.run = run_arrive;
}

void decode_mbarrier(Decoder& d) {
  if (d.take("init")) {
    take_mbarrier(d, 0);
    d.expect_operands(2, 2);
    d.inst.b = d.source(1, Type::u32);
    d.inst.run = run_init;
  } else if (d.take("inval")) {
    take_mbarrier(d, 0);
    d.inst.run = run_inval;
  } else if (d.take("arrive")) {
    decode_arrive(d, false);
  } else if (d.take("arrive_drop")) {
    decode_arrive(d, true);
  } else if (d.take("test_wait")) {
    decode_mbarrier_wait(d, false);
  } else if (d.take("try_wait")) {
    decode_mbarrier_wait(d, true);
  } else if (d.take("pending_count")) {
    d.expect_operands(2, 2);
    d.inst.a = d.source(1, Type::b64);
    d.inst.d = d.destination(0, Type::u32);
    d.inst.run = run_pending_count;
  } else {
    const auto what = d.take_one_of({"expect_tx", "complete_tx"});
    if (what.empty()) d.fail("the operation is missing or not supported");
    take_mbarrier_scope(d, Order::relaxed);
    take_mbarrier(d, 0);
    d.expect_operands(2, 2);
    d.inst.b = d.source(1, Type::u32);
    d.inst.which = what == "complete_tx" ? 1 : 0;
    d.inst.run = run_transactions;
  }
  d.take("b64");
}

}  // namespace

void add_mbarrier(Opcodes& table) {
  table["mbarrier"] = decode_mbarrier;
}

}  // namespace xqacheck::ptx
