// A CTA: its warps, shared and local memory, barriers and asynchronous copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulation/ptx/machine/copies.hpp"
#include "emulation/ptx/machine/memory.hpp"
#include "emulation/ptx/machine/warp.hpp"
#include "emulation/ptx/schedule/schedule.hpp"

namespace xqacheck::ptx {

class Grid;
class Machine;

class Cta {
 public:
  Cta(Grid& grid, std::uint32_t linear);
  Cta(const Cta&) = delete;
  Cta& operator=(const Cta&) = delete;

  Grid& grid() { return grid_; }
  const Program& program() const { return program_; }
  Machine& machine() { return machine_; }
  Monitor* monitor() const { return monitor_; }
  DeviceMemory& memory() { return memory_; }
  std::span<const std::byte> parameters() const;
  std::uint32_t linear() const { return linear_; }
  std::uint32_t grid_number() const { return grid_number_; }
  std::span<std::byte> shared() { return shared_; }
  std::span<std::byte> local_of(std::uint32_t warp, unsigned lane) {
    return std::span(local_).subspan((std::size_t{warp} * 32 + lane) * local_bytes_, local_bytes_);
  }
  std::uint32_t* registers_of(std::uint32_t warp) { return static_cast<std::uint32_t*>(registers_.get()) + std::size_t{warp} * register_stride_; }
  std::vector<Warp>& warps() { return warps_; }
  CopyQueue& copies(std::uint32_t warp) { return copies_[warp]; }
  bool done() const { return live_lanes_ == 0; }

  // bar/barrier: `lanes` arrive; true when that completes the barrier (and everybody who waits has been released).
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;  // expected 0: all lanes that are alive
    bool whole = true;
    bool any = false, all = true;
    std::uint32_t sum = 0;
  };
  bool barrier_arrive(std::uint32_t id, std::uint32_t count, std::uint32_t lanes);
  Barrier& barrier(std::uint32_t id) { return barriers_[id]; }
  void lanes_exited(Warp& warp, LaneMask lanes);

  bool has_run = false;  // apart from the others (machine/apart.hpp)

 private:
  void fill_registers(std::uint32_t warp);
  void complete(std::uint32_t id);

  Grid& grid_;
  const Program& program_;
  Machine& machine_;
  Monitor* monitor_;
  DeviceMemory& memory_;
  std::uint32_t linear_, grid_number_;
  std::uint32_t local_bytes_, live_lanes_ = 0;
  std::size_t register_stride_;
  std::vector<std::byte> shared_, local_;
  std::shared_ptr<void> registers_;  // zero_pages: of all that a compiler declares a run touches a fraction
  std::vector<Warp> warps_;
  std::vector<CopyQueue> copies_;
  Barrier barriers_[16];
};

}  // namespace xqacheck::ptx
