// mbarrier.init, .inval, .arrive, .arrive_drop, .expect_tx, .complete_tx, .test_wait, .try_wait, .pending_count.
#include "emulation/ptx/instructions/mbarrier.hpp"

#include <cstring>

#include "emulation/ptx/instructions/access.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {

constexpr std::uint32_t kPhaseMask = 0xfff, kCountMask = 0x7fff, kByteMask = 0x1fffff;

MbarrierState unpack_mbarrier(std::uint64_t word) {
  MbarrierState state;
  state.phase = static_cast<std::uint32_t>(word) & kPhaseMask;
  state.pending = static_cast<std::uint32_t>(word >> 12) & kCountMask;
  state.expected = static_cast<std::uint32_t>(word >> 27) & kCountMask;
  // 21 bits, signed.
  state.bytes = static_cast<std::int32_t>(static_cast<std::int64_t>(word << 1) >> 43);
  return state;
}

std::uint64_t pack_mbarrier(const MbarrierState& state) {
  return std::uint64_t{state.phase & kPhaseMask} | std::uint64_t{state.pending & kCountMask} << 12 |
         std::uint64_t{state.expected & kCountMask} << 27 |
         std::uint64_t{static_cast<std::uint32_t>(state.bytes) & kByteMask} << 42;
}

namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

// The object at a shared address, or null (and a fault without a monitor).
std::byte* object_at(Warp& warp, LaneMask lanes, Q address) {
  const auto shared = warp.cta().shared();
  if (address % 8 == 0 && address + 8 <= shared.size()) return shared.data() + address;
  warp.cta().machine().fault(warp, lanes, "an mbarrier lies outside shared memory or is not aligned to 8 bytes");
}

MbarrierState load(const std::byte* at) {
  Q word;
  std::memcpy(&word, at, sizeof word);
  return unpack_mbarrier(word);
}
void store(std::byte* at, const MbarrierState& state) {
  const Q word = pack_mbarrier(state);
  std::memcpy(at, &word, sizeof word);
}

// Ends the phase if nothing is awaited.
bool settle(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return false;
  state.phase = (state.phase + 1) & kPhaseMask;
  state.pending = state.expected;
  return true;
}

Mbarrier describe(Warp& warp, const Inst& inst, LaneMask lanes, MbarrierKind kind, Q address) {
  Mbarrier event;
  event.at = warp.at(lanes);
  event.kind = kind;
  event.order = inst.order, event.scope = inst.scope;
  event.owner = warp.cta().linear();
  event.address = address;
  return event;
}

// f(lanes, address) for each object that lanes of the warp name.
template <class F>
void each_object(LaneMask active, const Q* addresses, F&& f) {
  for (LaneMask rest = active; rest != 0;) {
    const Q address = addresses[std::countr_zero(rest)];
    LaneMask same = 0;
    each(rest, [&](unsigned lane) { same |= static_cast<LaneMask>(addresses[lane] == address) << lane; });
    f(same, address);
    rest &= ~same;
  }
}

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

void shared_addresses(Warp& warp, const Inst& inst, LaneMask active, Q (&addresses)[32]) {
  addresses_of(warp, inst, active, addresses);
  if (inst.generic) each(active, [&](unsigned lane) { addresses[lane] -= kSharedWindow; });
}

Step run_init(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  shared_addresses(warp, inst, active, addresses);
  const auto count = read<W>(warp, inst.b);
  each(active, [&](unsigned lane) {
    std::byte* at = object_at(warp, 1u << lane, addresses[lane]);
    if (Monitor* monitor = warp.cta().monitor()) {
      Mbarrier event = describe(warp, inst, 1u << lane, MbarrierKind::init, addresses[lane]);
      event.count = count[lane];
      monitor->mbarrier(event);
    }
    if (count[lane] == 0 || count[lane] > kCountMask)
      warp.cta().machine().fault(warp, 1u << lane, "mbarrier.init: the count must be 1 to 32767");
    store(at, {0, count[lane], count[lane], 0});
  });
  return Step::next;
}

Step run_inval(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  shared_addresses(warp, inst, active, addresses);
  each(active, [&](unsigned lane) {
    object_at(warp, 1u << lane, addresses[lane]);
    if (Monitor* monitor = warp.cta().monitor())
      monitor->mbarrier(describe(warp, inst, 1u << lane, MbarrierKind::inval, addresses[lane]));
  });
  return Step::next;
}

}  // namespace

std::uint64_t mbarrier_arrive(Warp& warp, const WarpAt& at, std::uint64_t address, std::uint32_t lanes,
                              std::uint32_t count, Order order, Scope scope, bool drop) {
  std::byte* object = object_at(warp, at.active, address);
  MbarrierState state = load(object);
  const Q before = pack_mbarrier(state);
  const W arrivals = lanes * count;
  if (arrivals > state.pending) {
    if (warp.cta().monitor() == nullptr)
      warp.cta().machine().fault(warp, at.active, "mbarrier.arrive: more arrivals than are pending");
  }
  Mbarrier event;
  event.at = at;
  event.kind = drop ? MbarrierKind::arrive_drop : MbarrierKind::arrive;
  event.order = order, event.scope = scope;
  event.owner = warp.cta().linear();
  event.address = address;
  event.count = count;
  event.phase = state.phase;
  state.pending -= std::min(arrivals, state.pending);
  if (drop) state.expected -= std::min(arrivals, state.expected);
  event.completes = settle(state);
  if (Monitor* monitor = warp.cta().monitor()) monitor->mbarrier(event);
  store(object, state);
  return before;
}

void mbarrier_expect(Warp& warp, const WarpAt& at, std::uint64_t address, std::uint32_t arrivals) {
  std::byte* object = object_at(warp, at.active, address);
  MbarrierState state = load(object);
  state.pending += arrivals;
  store(object, state);
}

namespace {

// which: 1 drop, 2 with expect_tx (bytes in c); b: count, or none. d: state token, or none.
Step run_arrive(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  shared_addresses(warp, inst, active, addresses);
  each_object(active, addresses, [&](LaneMask lanes, Q address) {
    if ((inst.which & 2) != 0) {
      MbarrierState state = load(object_at(warp, lanes, address));
      each(lanes, [&](unsigned lane) {
        const W bytes = read<W>(warp, inst.c)[lane];
        state.bytes += static_cast<std::int32_t>(bytes);
        if (Monitor* monitor = warp.cta().monitor()) {
          Mbarrier event = describe(warp, inst, 1u << lane, MbarrierKind::expect_tx, address);
          event.count = bytes, event.phase = state.phase;
          monitor->mbarrier(event);
        }
      });
      store(object_at(warp, lanes, address), state);
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
  shared_addresses(warp, inst, active, addresses);
  const auto bytes = read<W>(warp, inst.b);
  const bool complete = inst.which == 1;
  each(active, [&](unsigned lane) {
    std::byte* at = object_at(warp, 1u << lane, addresses[lane]);
    MbarrierState state = load(at);
    Mbarrier event = describe(warp, inst, 1u << lane, complete ? MbarrierKind::complete_tx : MbarrierKind::expect_tx,
                              addresses[lane]);
    event.count = bytes[lane], event.phase = state.phase;
    state.bytes += complete ? -static_cast<std::int32_t>(bytes[lane]) : static_cast<std::int32_t>(bytes[lane]);
    event.completes = complete && settle(state);
    if (Monitor* monitor = warp.cta().monitor()) monitor->mbarrier(event);
    store(at, state);
  });
  return Step::next;
}

// which: 1 try_wait, 2 by parity (b: 32 bits), otherwise by token (b: 64 bits).
Step run_wait(Warp& warp, const Inst& inst, LaneMask active) {
  Q addresses[32];
  shared_addresses(warp, inst, active, addresses);
  LaneMask done = 0;
  const bool by_parity = (inst.which & 2) != 0;
  each_object(active, addresses, [&](LaneMask lanes, Q address) {
    const MbarrierState state = load(object_at(warp, lanes, address));
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
      Mbarrier event = describe(warp, inst, lanes,
                                (inst.which & 1) != 0 ? MbarrierKind::try_wait : MbarrierKind::test_wait, address);
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

Step run_pending_count(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<Q>(warp, inst.a);
  write<W>(warp, inst.d, active, [&](unsigned lane) { return unpack_mbarrier(a[lane]).pending; });
  return Step::next;
}

// ---- decoding
// ------------------------------------------------------------------------------------------------------------

void address_of_object(Decoder& d, std::size_t at) {
  const bool named = !d.take_one_of({"shared::cta", "shared"}).empty();
  d.address(d.operand(at), named ? StateSpace::shared : StateSpace::generic);
  d.inst.generic = !named;
  d.inst.space = Space::shared;
}

void take_scope(Decoder& d, Order otherwise) {
  d.inst.order = otherwise;
  const auto order = d.take_one_of({"release", "acquire", "relaxed"});
  if (order == "relaxed") d.inst.order = Order::relaxed;
  const auto scope = d.take_one_of({"cta", "cluster"});
  d.inst.scope = scope == "cluster" ? Scope::cluster : Scope::cta;
}

void decode_arrive(Decoder& d, bool drop) {
  const bool expect = d.take("expect_tx");
  d.take("noComplete");
  take_scope(d, Order::release);
  const bool returns = d.operand(0).kind != OperandKind::address;
  const std::size_t at = returns ? 1 : 0;
  address_of_object(d, at);
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

void decode_wait(Decoder& d, bool try_wait) {
  const bool parity = d.take("parity");
  take_scope(d, Order::acquire);
  address_of_object(d, 1);
  d.expect_operands(3, try_wait ? 4 : 3);
  if (d.operand_count() == 4) d.source(3, Type::u32);  // the time limit: a hint
  d.inst.which = static_cast<std::uint8_t>((try_wait ? 1 : 0) | (parity ? 2 : 0));
  d.inst.b = d.source(2, parity ? Type::u32 : Type::b64);
  d.inst.d = d.destination(0, Type::pred);
  d.inst.run = run_wait;
}

void decode_mbarrier(Decoder& d) {
  if (d.take("init")) {
    address_of_object(d, 0);
    d.expect_operands(2, 2);
    d.inst.b = d.source(1, Type::u32);
    d.inst.run = run_init;
  } else if (d.take("inval")) {
    address_of_object(d, 0);
    d.inst.run = run_inval;
  } else if (d.take("arrive")) {
    decode_arrive(d, false);
  } else if (d.take("arrive_drop")) {
    decode_arrive(d, true);
  } else if (d.take("test_wait")) {
    decode_wait(d, false);
  } else if (d.take("try_wait")) {
    decode_wait(d, true);
  } else if (d.take("pending_count")) {
    d.expect_operands(2, 2);
    d.inst.a = d.source(1, Type::b64);
    d.inst.d = d.destination(0, Type::u32);
    d.inst.run = run_pending_count;
  } else {
    const auto what = d.take_one_of({"expect_tx", "complete_tx"});
    if (what.empty()) d.fail("the operation is missing or not supported");
    take_scope(d, Order::relaxed);
    address_of_object(d, 0);
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
