// What a kernel leaves running after it has returned: processes it started, threads that still work.
#pragma once

#include <cstdint>

namespace xqacheck::properties::isolation {

// Processes that the kernel started and that still run; dead ones are reaped. A just-ending child gets a moment.
std::uint32_t running_children();

class ThreadWatch {
 public:
  // If there are more threads than after the last case, waits a moment: a straggler that writes to a frozen buffer dies
  // of it now, in the case that made it. A pool of idle threads costs this moment once.
  void settle();

 private:
  std::uint64_t accepted_ = 1;
};

}  // namespace xqacheck::properties::isolation
