// Starts supervisor processes.
#pragma once

#include <sys/types.h>

#include <string>

#include "properties/isolation/unique_fd.hpp"
#include "properties/isolation/worker.hpp"

namespace xqacheck::properties::isolation {

// Path of the xqacheck-worker program: $XQACHECK_WORKER, or in $XQACHECK_BIN, beside this program, or in
// ../libexec/xqacheck of it. Throws EnvironmentError naming the places that were searched.
std::string find_worker_program();

struct SupervisorProcess {
  pid_t pid = -1;
  UniqueFd control;  // messages
  UniqueFd log;      // what it and its workers print; reads do not block
};

// Throws EnvironmentError.
SupervisorProcess spawn_supervisor(const WorkerSetup& setup);

}  // namespace xqacheck::properties::isolation
