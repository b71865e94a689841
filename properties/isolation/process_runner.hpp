// ProcessRunner: runs a kernel in a worker process. Whatever the kernel does becomes an Outcome; a worker that ended is
// replaced before the next case. Not for use by several threads at a time: see RunnerPool.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/description.hpp"
#include "properties/runner.hpp"

namespace xqacheck::properties {

struct ProcessOptions {
  bool fresh = false;  // a new worker for every case
  // A worker is replaced after so many cases: what a kernel leaks (memory, descriptors) must not pile up for ever. Rare
  // enough to cost nothing.
  std::uint64_t cases_per_worker = 10000;
  // A case that crashes a worker with a history runs again in a new one: if it does not crash there, the outcome says
  // so.
  bool confirm_crashes = true;
  double load_timeout_seconds = 60;  // loading a plug-in and initialising a device
  std::uint64_t data_limit =
      0;  // bytes of private memory that a host kernel may have; 0: three quarters of the machine's
};

class ProcessRunner final : public Runner {
 public:
  // `kernel`: a built-in name, `./plugin.so` or `./plugin.so:name`. Throws kernels::LoadError or EnvironmentError.
  explicit ProcessRunner(std::string kernel, ProcessOptions options = {});
  ~ProcessRunner() override;

  Outcome run(const reference::Problem& problem, const RunOptions& options) override;
  const xqacheck_description& description() override;
  std::string device() override;

  // Workers started so far, the first included.
  std::uint64_t workers_started() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

// What all kernels of a plug-in (or, for "", the built-in ones) say about themselves; asked in a worker process.
// Throws kernels::LoadError or EnvironmentError.
std::vector<kernels::OwnedDescription> list_kernels(const std::string& plugin, double timeout_seconds = 60);

}  // namespace xqacheck::properties
