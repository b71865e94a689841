// What the mbarrier instructions share: the object in shared memory, its event for the checks, operands.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulation/ptx/decode/decoder.hpp"
#include "emulation/ptx/instructions/mbarrier.hpp"
#include "emulation/ptx/machine/lanes.hpp"

namespace xqacheck::ptx {

// An object counts at most so many arrivals (PTX ISA, mbarrier.init: 2^20 - 1; the machine's layout has 15 bits).
inline constexpr std::uint32_t kMbarrierMostArrivals = 0x7fff;

// The object at a shared address. A fault where there is none.
std::byte* mbarrier_at(Warp& warp, LaneMask lanes, std::uint64_t address);
MbarrierState load_mbarrier(const std::byte* at);
void store_mbarrier(std::byte* at, const MbarrierState& state);
// Ends the phase if nothing is awaited.
bool settle_mbarrier(MbarrierState& state);
Mbarrier mbarrier_event(Warp& warp, const Inst& inst, LaneMask lanes, MbarrierKind kind, std::uint64_t address);
void mbarrier_addresses(Warp& warp, const Inst& inst, LaneMask active, std::uint64_t (&addresses)[32]);

// f(lanes, address) for each object that lanes of the warp name.
template <class F>
void each_object(LaneMask active, const std::uint64_t* addresses, F&& f) {
  for (LaneMask rest = active; rest != 0;) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    LaneMask same = 0;
    each(rest, [&](unsigned lane) { same |= static_cast<LaneMask>(addresses[lane] == address) << lane; });
    f(same, address);
    rest &= ~same;
  }
}

// Decoding: operand `at` is the address of the object; the order and scope of what is done to it.
void take_mbarrier(Decoder& d, std::size_t at);
void take_mbarrier_scope(Decoder& d, Order otherwise);

// test_wait, try_wait
void decode_mbarrier_wait(Decoder& d, bool try_wait);

}  // namespace xqacheck::ptx
