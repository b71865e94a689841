// mbarrier objects: eight bytes of shared memory, in a layout of our own.
#pragma once

#include <cstdint>

#include "emulation/ptx/machine/warp.hpp"

namespace xqacheck::ptx {

// Fields of the object. Arrivals count down from `expected`; a phase ends when none is pending and no bytes are
// awaited.
struct MbarrierState {
  std::uint32_t phase = 0;     // 12 bits, wraps; its lowest bit is the parity
  std::uint32_t pending = 0;   // 15 bits
  std::uint32_t expected = 0;  // 15 bits
  std::int32_t bytes = 0;      // 21 bits, of transactions: expect_tx adds, complete_tx subtracts
};
MbarrierState unpack_mbarrier(std::uint64_t word);
std::uint64_t pack_mbarrier(const MbarrierState& state);

// `count` arrivals (or `bytes` completed) at the object; tells the monitor. `instruction`: for findings. Returns the
// object as it was before.
std::uint64_t mbarrier_arrive(Warp& warp, const WarpAt& at, std::uint64_t address, std::uint32_t lanes,
                              std::uint32_t count, Order order, Scope scope, bool drop);

// cp.async.mbarrier.arrive without .noinc: one more arrival is pending for each lane.
void mbarrier_expect(Warp& warp, const WarpAt& at, std::uint64_t address, std::uint32_t arrivals);

}  // namespace xqacheck::ptx
