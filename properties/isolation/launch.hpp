// Launch: one kernel's life cycle on one problem, from supports() to destroy(). The same code runs in worker processes
// and in the harness itself; where memory comes from is the caller's business (Workspaces).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/isolation/control_page.hpp"
#include "properties/outcome.hpp"
#include "properties/runner.hpp"
#include "reference/host_buffer.hpp"

namespace xqacheck::properties::isolation {

// Memory of one run, as the launch needs it.
class Workspaces {
 public:
  virtual ~Workspaces() = default;
  // Scratch, filled as the options ask, and zeroed state. "" or why the sizes cannot be had.
  virtual std::string provide(const xqacheck_workspace& sizes, void** scratch, void** state) = 0;
  // Called after each run(): the first byte of state that is not zero, or -1.
  virtual std::int64_t nonzero_state() = 0;
  // After the last run(), before destroy(): from now on nobody may write.
  virtual void freeze() = 0;
};

struct LaunchResult {
  RunStatus status = RunStatus::ok;
  std::string why;
  std::uint32_t splits = 0;
  double seconds = 0;               // of the last run()
  std::int64_t nonzero_state = -1;  // first byte of state left non-zero by any run, -1: none
  std::string compiled;             // keys of the kernels that prepare() took from the run-time compiler
  bool threw = false;               // a C++ exception came through the C interface: the process is in doubt
};

// One buffer of the run with the canary around it, as the harness laid it out in host memory.
struct Window {
  std::string name;            // "k", "out" …
  std::byte* begin = nullptr;  // first byte of the canary in front
  std::uint64_t before = 0;    // bytes of canary in front of the buffer
  std::uint64_t bytes = 0;     // of the buffer
  std::uint64_t after = 0;     // bytes of canary behind it
  std::uint64_t align = 1;     // the strictest that the problem promises of the buffer
  bool writable = false;
  bool sparse = false;  // only `written` holds data; the rest is zero, and should not be read
  std::vector<reference::HostBuffer::Range> written{};  // from the buffer's first byte
  bool undefined = false;  // what it holds before the run means nothing: a kernel that reads it first is wrong

  std::byte* data() const { return begin + before; }
};

// What the harness asks of a launch, and where the tensors of the problem lie.
struct LaunchSite {
  std::uint32_t runs = 1;
  Placement place = Placement::plain;
  Launching launching = Launching::plain;
  std::uint32_t schedule = 0;   // RunOptions::schedule
  std::vector<Window> windows;  // every tensor that has memory; only launchers that move tensors need them
};

// How kernels of one memory space are launched: on the host directly; for CUDA by a launcher that moves the tensors.
class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual std::string device() = 0;  // for reports; "none: <why>" when there is none
  // `why` holds kWhyBytes. `progress` says where the kernel is, for whoever finds it dead.
  virtual LaunchResult launch(const xqacheck_kernel& kernel, const xqacheck_problem& problem, const LaunchSite& site,
                              Workspaces& workspaces, char* why, ControlPage& progress) = 0;
};

Launcher& host_launcher();
// Null in a build without CUDA. The CUDA room sets it before any worker starts its work.
Launcher* cuda_launcher();
void set_cuda_launcher(Launcher* launcher);

// The steps themselves: `stream` is handed to run(); `before` and `wait` are called around each run (device work and
// synchronisation) and return "" or the error that the device reports.
struct LaunchSteps {
  void* stream = nullptr;
  std::string (*before)(void* context) = nullptr;
  std::string (*wait)(void* context) = nullptr;
  void* context = nullptr;
};
LaunchResult launch_steps(const xqacheck_kernel& kernel, const xqacheck_problem& problem, std::uint32_t runs,
                          Workspaces& workspaces, char* why, ControlPage& progress, const LaunchSteps& steps);

}  // namespace xqacheck::properties::isolation
