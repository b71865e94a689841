// mbarrier.test_wait and .try_wait, by parity or by the state of an earlier arrival.
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/mbarrier_object.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

// which: 1 try_wait, 2 by parity (b: 32 bits), otherwise by token (b: 64 bits).
Step run_wait(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  mbarrier_addresses(warp, inst, active, addresses);
  LaneMask done = 0;
  const bool by_parity = (inst.which & 2) != 0;
  each_object(active, addresses, [&](LaneMask lanes, Q address) {
    const MbarrierState state = load_mbarrier(mbarrier_at(warp, lanes, address));
    LaneMask yes = 0;
    Q wanted = 0;
    each(lanes, [&](unsigned lane) {
      if (by_parity) {
        wanted = read<W>(warp, inst.b)[lane];
        yes |= static_cast<LaneMask>((state.phase & 1) != (wanted & 1)) << lane;
      } else {
        wanted = unpack_mbarrier(read<Q>(warp, inst.b)[lane]).phase;
        yes |= static_cast<LaneMask>(state.phase != wanted) << lane;
      }
    });
    done |= yes;
    if (Monitor* monitor = warp.cta().monitor()) {
      Mbarrier event = mbarrier_event(
          warp, inst, lanes, (inst.which & 1) != 0 ? MbarrierKind::try_wait : MbarrierKind::test_wait, address);
      event.phase = state.phase;
      event.by_parity = by_parity;
      event.wanted = by_parity ? wanted & 1 : wanted;
      event.succeeded = yes == lanes;
      monitor->mbarrier(event);
    }
  });
  write_predicate(warp, inst.d, active, done);
  return done == active ? Step::next : Step::yield;
}

}  // namespace

void decode_mbarrier_wait(Decoder& d, bool try_wait) {
  const bool parity = d.take("parity");
  take_mbarrier_scope(d, Order::acquire);
  take_mbarrier(d, 1);
  d.expect_operands(3, try_wait ? 4 : 3);
  if (d.operand_count() == 4) d.source(3, Type::u32);  // the time limit: a hint
  d.inst.which = static_cast<std::uint8_t>((try_wait ? 1 : 0) | (parity ? 2 : 0));
  d.inst.b = d.source(2, parity ? Type::u32 : Type::b64);
  d.inst.d = d.destination(0, Type::pred);
  d.inst.run = run_wait;
}

}  // namespace xqacheck::ptx
