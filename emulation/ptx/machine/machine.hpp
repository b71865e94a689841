// The PTX machine: device memory, and grids that run on it in the order of their launch.
//
//   Machine machine;
//   const auto a = machine.memory().allocate(1024, 256, "a");
//   machine.run({launch});            // throws MachineFault when a kernel does what a GPU would not survive
//
// Single-threaded and deterministic: the same launches, schedule and memory give the same run. Memory is sequentially
// consistent; what an order is needed for is the business of the monitor.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulation/ptx/machine/grid.hpp"
#include "emulation/ptx/machine/memory.hpp"

namespace xqacheck::ptx {

// A kernel stops: access outside an allocation (without a monitor), trap, deadlock, livelock. The text has kernel,
// place, CTA, warp and lane.
class MachineFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct MachineOptions {
  // As an H200 has it; kernels ask for it to choose their splits.
  std::uint32_t multiprocessors = 132;
  // CTAs of one grid that live at the same time. More of them means more interleavings and more host memory.
  std::uint32_t resident_ctas = 8;
  // Instructions of warps in one call of run() before it counts as a livelock.
  std::uint64_t instruction_limit = std::uint64_t{1} << 36;
  // Turns in a row in which every warp only polled: nothing can change any more (waits have no side effect).
  std::uint64_t idle_turns = 20000;
};

class Machine {
 public:
  explicit Machine(MachineOptions options = {}) : options_(options) {}

  DeviceMemory& memory() { return memory_; }
  const DeviceMemory& memory() const { return memory_; }
  // Of a CTA that lives; empty if it does not.
  std::span<const std::byte> shared_of(std::uint32_t grid, std::uint32_t cta) const;
  const MachineOptions& options() const { return options_; }
  void set_monitor(Monitor* monitor) { monitor_ = monitor; }  // null: no checks
  Monitor* monitor() const { return monitor_; }
  void set_schedule(Schedule* schedule) { schedule_ = schedule; }  // null: in order, one warp until it blocks
  Schedule* schedule() const { return schedule_; }

  // Threads that run CTAs apart (machine/apart.hpp) while there is no monitor; 0: one after the other. Only for a schedule
  // in order: others say themselves who runs when.
  void set_threads(std::uint32_t threads) { threads_ = threads; }

  // Runs the launches to their end, as if given to one stream. Not reentrant.
  void run(std::vector<Launch> launches);

  std::uint64_t instructions() const { return instructions_; }  // of warps, since construction
  std::uint64_t clock() const { return instructions_; }
  std::uint64_t turns() const { return turns_; }  // of warps

  // Of copies that have landed, at their mbarriers.
  void deliver_arrivals(Cta& cta, std::uint32_t warp);

  [[noreturn]] void fault(const Warp& warp, LaneMask lanes, const std::string& what) const;

 private:
  void start_grids();
  bool may_run_apart() const;
  bool end_ctas();
  Turn choose();
  [[noreturn]] void stuck(bool livelock);
  std::uint64_t idle_ = 0;  // turns given to polling warps

  MachineOptions options_;
  DeviceMemory memory_;
  Monitor* monitor_ = nullptr;
  Schedule* schedule_ = nullptr;
  std::uint32_t grids_ = 0, threads_ = 0;
  std::vector<std::uint8_t> meeting_;  // of the kernel that runs apart
  std::uint64_t instructions_ = 0, turns_ = 0;
  std::deque<Launch> waiting_;
  std::vector<std::unique_ptr<Grid>> running_;
  std::vector<Runnable> runnable_;
  struct RunnableWarp {
    Cta* cta;
    std::uint32_t warp;
  };
  std::vector<RunnableWarp> runnable_warps_;
};

}  // namespace xqacheck::ptx
