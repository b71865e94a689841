// Runs a recorded call of the public mma.sync kernel from its PTX, under several schedules, and compares with what the
// GPU wrote.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulation/ptx/check/finding.hpp"
#include "emulation/ptx/front/module.hpp"
#include "emulation/ptx/schedule/schedule.hpp"
#include "emulation/ptx/watch/watch.hpp"
#include "emulation/recording/recording.hpp"
#include "emulation/recording/replay.hpp"

namespace xqacheck::ptx {

struct PtxReplay {
  emulation::Replay comparison;    // of the first schedule that differs, else of the last
  std::uint32_t schedules = 0;     // that ran
  std::uint32_t differing_schedules = 0;
  std::string differing_schedule;  // the first
  std::vector<Finding> findings;   // of all schedules, each pair of instructions once
  std::string fault;               // the machine stopped: why
  std::uint64_t instructions = 0;  // of warps, over all schedules
  double seconds = 0;              // of running, over all schedules
};

struct PtxReplayOptions {
  bool checks = true;
  std::vector<WatchRange> watch;
  Watch::Say say;  // of watched accesses and the schedules they belong to
  std::uint32_t threads = 0;  // Machine::set_threads, for runs in order without checks
};

// Throws PtxError when the module does not fit the recording.
PtxReplay replay_from_ptx(const Module& module, const emulation::Recording& recording, std::span<const ScheduleSpec> schedules,
                          const PtxReplayOptions& options);

}  // namespace xqacheck::ptx
