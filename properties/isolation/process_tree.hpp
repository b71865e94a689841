// Ends everything that descends from this process.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace xqacheck::properties::isolation {

struct Burial {
  int wait_status = 0;  // of `leader`, as of waitpid()
  bool leader_found = false;
  std::uint32_t strays = 0;  // other processes that had to be killed
};

// Kills the process group of `leader` and every other descendant, reparented ones included (the caller is a subreaper),
// and waits for all of them. Gives up after a few seconds on processes that the system does not let die.
Burial bury_descendants(pid_t leader);

}  // namespace xqacheck::properties::isolation
