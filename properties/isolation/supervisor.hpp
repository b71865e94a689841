// Supervisor: a small process between the harness and a worker. It starts workers, tells how they ended, and makes sure
// that nothing a kernel started survives: not when the worker dies, and not when the harness is killed (it then reads
// end of file).
#pragma once

#include "properties/isolation/unique_fd.hpp"
#include "properties/isolation/worker.hpp"

namespace xqacheck::properties::isolation {

// Descriptor that the harness leaves for the supervisor's connection.
inline constexpr int kControlDescriptor = 3;

// Runs until the harness closes `control`; returns the process's exit code.
int supervisor_main(const WorkerSetup& setup, UniqueFd control);

}  // namespace xqacheck::properties::isolation
