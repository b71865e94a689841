// Worker: the process in which a kernel runs. It loads the kernel, says what it is, and answers one case after the
// other.
#pragma once

#include <cstdint>
#include <string>

#include "properties/isolation/unique_fd.hpp"

namespace xqacheck::properties::isolation {

struct WorkerSetup {
  std::string kernel;            // as kernels::parse_kernel_spec takes it
  bool list = false;             // report all kernels of the plug-in, run none
  std::uint64_t data_limit = 0;  // bytes of private memory (RLIMIT_DATA), 0: no limit
};

// Runs until the harness closes `socket`; returns the process's exit code.
int worker_main(const WorkerSetup& setup, UniqueFd socket, UniqueFd shared_memory);

}  // namespace xqacheck::properties::isolation
