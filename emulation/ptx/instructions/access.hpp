// Memory accesses of a warp: addresses, checks, pointers. Shared by ld, st, atom, red and the copies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulation/ptx/decode/decoder.hpp"
#include "emulation/ptx/machine/lanes.hpp"

namespace xqacheck::ptx {

// Fills `addresses` of the active lanes from inst.a and inst.offset.
void addresses_of(Warp& warp, const Inst& inst, LaneMask active, std::uint64_t (&addresses)[32]);

// Where the bytes of each lane lie in the host's memory. Lanes that may not access get no pointer and are missing from
// `legal`; without a monitor such a lane is a MachineFault.
struct Located {
  LaneMask legal = 0;
  std::byte* at[32];
};
struct Wanted {
  AccessKind kind = AccessKind::load;
  Order order = Order::weak;
  Scope scope = Scope::cta;
  std::uint32_t bytes = 4;
  std::uint32_t alignment = 0;  // 0: equal to bytes
};
// For one space: offsets for shared and local, device addresses for global.
void locate(Warp& warp, Space space, LaneMask active, const std::uint64_t* addresses, const Wanted& wanted,
            Located& located);
// Splits generic addresses by space and locates them all.
void locate(Warp& warp, const Inst& inst, LaneMask active, std::uint64_t (&addresses)[32], const Wanted& wanted,
            Located& located);

// Decoding: .weak .relaxed .acquire .release .acq_rel .volatile .mmio, and the scope.
void take_order(Decoder& d);

}  // namespace xqacheck::ptx
