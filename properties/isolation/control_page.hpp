// The control page: what a worker tells about itself without sending a message, so that it can still be read after the
// worker is dead. It lies in the control slot of the shared memory.
#pragma once

#include <atomic>
#include <cstdint>

#include "properties/isolation/slots.hpp"

namespace xqacheck::properties::isolation {

// What a worker is doing; the kernel's code runs in those from `loading` on.
enum class Stage : std::uint32_t {
  starting,
  idle,
  loading,
  get_kernel,
  describe,
  supports,
  prepare,
  workspace,
  split_plan,
  run,
  after_run,
  destroy,
  after_destroy
};
const char* name_of(Stage stage);  // "run()", "loading the plug-in" …

// Written by a signal handler just before the process dies.
struct FaultRecord {
  std::atomic<std::uint32_t> valid{0};
  std::int32_t signal = 0;
  std::int32_t code = 0;          // si_code
  std::uint32_t access = 0;       // 0 unknown, 1 read, 2 write, 3 execute
  std::uint32_t main_thread = 0;  // 1: the thread that calls the kernel
  std::uint64_t address = 0;      // si_addr
  std::uint64_t pc = 0, sp = 0;   // of the faulting instruction
};

struct ControlPage {
  std::atomic<std::uint64_t> sequence{0};  // number of the case being worked on
  std::atomic<Stage> stage{Stage::starting};
  std::atomic<std::uint32_t> run_index{0};
  std::atomic<std::uint32_t> exit_called{0};      // exit(), not _exit(), was entered
  std::atomic<std::uint32_t> connection_lost{0};  // the worker could not send its answer
  FaultRecord fault;
  SlotPlan scratch, state;  // valid from Stage::run on
};
static_assert(sizeof(ControlPage) <= kPage);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace xqacheck::properties::isolation
