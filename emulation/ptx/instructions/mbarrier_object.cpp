// The mbarrier object in shared memory: one 64-bit word.
#include "emulation/ptx/instructions/mbarrier_object.hpp"

#include <cstring>

#include "emulation/ptx/instructions/access.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

constexpr W kPhaseMask = 0xfff, kCountMask = kMbarrierMostArrivals, kByteMask = 0x1fffff;

}  // namespace

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

// The object at a shared address, or null (and a fault without a monitor).
std::byte* mbarrier_at(Warp& warp, LaneMask lanes, Q address) {
  const auto shared = warp.cta().shared();
  if (address % 8 == 0 && address + 8 <= shared.size()) return shared.data() + address;
  warp.cta().machine().fault(warp, lanes, "an mbarrier lies outside shared memory or is not aligned to 8 bytes");
}

MbarrierState load_mbarrier(const std::byte* at) {
  Q word;
  std::memcpy(&word, at, sizeof word);
  return unpack_mbarrier(word);
}
void store_mbarrier(std::byte* at, const MbarrierState& state) {
  const Q word = pack_mbarrier(state);
  std::memcpy(at, &word, sizeof word);
}

// Ends the phase if nothing is awaited.
bool settle_mbarrier(MbarrierState& state) {
  if (state.pending != 0 || state.bytes != 0) return false;
  state.phase = (state.phase + 1) & kPhaseMask;
  state.pending = state.expected;
  return true;
}

Mbarrier mbarrier_event(Warp& warp, const Inst& inst, LaneMask lanes, MbarrierKind kind, Q address) {
  Mbarrier event;
  event.at = warp.at(lanes);
  event.kind = kind;
  event.order = inst.order, event.scope = inst.scope;
  event.owner = warp.cta().linear();
  event.address = address;
  return event;
}

void mbarrier_addresses(Warp& warp, const Inst& inst, LaneMask active, Q (&addresses)[32]) {
  addresses_of(warp, inst, active, addresses);
  if (inst.generic) each(active, [&](unsigned lane) { addresses[lane] -= kSharedWindow; });
}

std::uint64_t mbarrier_arrive(Warp& warp, const WarpAt& at, std::uint64_t address, std::uint32_t lanes,
                              std::uint32_t count, Order order, Scope scope, bool drop) {
  std::byte* object = mbarrier_at(warp, at.active, address);
  MbarrierState state = load_mbarrier(object);
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
  event.completes = settle_mbarrier(state);
  if (Monitor* monitor = warp.cta().monitor()) monitor->mbarrier(event);
  store_mbarrier(object, state);
  return before;
}

void mbarrier_expect(Warp& warp, const WarpAt& at, std::uint64_t address, std::uint32_t arrivals) {
  std::byte* object = mbarrier_at(warp, at.active, address);
  MbarrierState state = load_mbarrier(object);
  state.pending += arrivals;
  store_mbarrier(object, state);
}

void take_mbarrier(Decoder& d, std::size_t at) {
  const bool named = !d.take_one_of({"shared::cta", "shared"}).empty();
  d.address(d.operand(at), named ? StateSpace::shared : StateSpace::generic);
  d.inst.generic = !named;
  d.inst.space = Space::shared;
}

void take_mbarrier_scope(Decoder& d, Order otherwise) {
  d.inst.order = otherwise;
  const auto order = d.take_one_of({"release", "acquire", "relaxed"});
  if (order == "relaxed") d.inst.order = Order::relaxed;
  const auto scope = d.take_one_of({"cta", "cluster"});
  d.inst.scope = scope == "cluster" ? Scope::cluster : Scope::cta;
}

}  // namespace xqacheck::ptx
