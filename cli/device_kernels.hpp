// Kernels on device memory that run in this very process: for timing, and under profilers and sanitizers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/launch/seam.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

struct InProcessOptions {
  std::vector<std::string> kernels;
  std::vector<std::string> lines, corpora;  // --case, --corpus
  int device = 0;                           // --gpu
};
void add_in_process_options(CLI::App& command, InProcessOptions& options);

struct NamedCase {
  std::string line;  // the case, canonical
  std::uint32_t splits = 0;  // `plan=` of a run line
};
// --case and --corpus in this order. Throws UsageError.
std::vector<NamedCase> named_cases(const InProcessOptions& options);

struct DeviceKernel {
  std::string spec;    // as asked for
  std::string source;  // "built-in" or the path of a plug-in
  const xqacheck_kernel* table = nullptr;
};
// Loads plug-ins into this process. Throws UsageError for a kernel that does not exist, cannot be loaded, or runs on host
// memory.
std::vector<DeviceKernel> load_device_kernels(const InProcessOptions& options);

// Opens the device and makes it the active one. Throws EnvironmentError: exit code 3 with the reason.
std::unique_ptr<kernels::launch::Device> open_device(const InProcessOptions& options, const std::string& who);

// "nvrtc 13.0", or "" where there is no run-time compiler.
std::string toolkit_name();

}  // namespace xqacheck::cli
