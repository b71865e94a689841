#include "properties/isolation/leftovers.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace xqacheck::properties::isolation {
namespace {

using std::chrono::milliseconds;

// Long enough for a thread that merely finishes late to be seen, short enough to be paid by every new worker.
constexpr milliseconds kThreadGrace{100};
// A child that was told to end needs a few scheduling rounds.
constexpr milliseconds kChildGrace{50};
constexpr milliseconds kLook{2};
constexpr std::chrono::microseconds kQuickLook{20};
constexpr int kQuickLooks = 10;

bool a_child_runs() {
  for (;;) {
    const pid_t pid = waitpid(-1, nullptr, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0) return false;
  }
}

std::uint32_t count_children() {
  std::FILE* file = std::fopen(fmt::format("/proc/self/task/{}/children", getpid()).c_str(), "re");
  if (file == nullptr) return 1;  // a kernel without this file: at least the one that waitpid() saw
  std::uint32_t count = 0;
  for (int pid = 0; std::fscanf(file, "%d", &pid) == 1;) ++count;
  std::fclose(file);
  return count > 0 ? count : 1;
}

// Directories of /proc count their entries as links: two for itself, one a thread.
std::uint64_t thread_count() {
  struct stat status {};
  return stat("/proc/self/task", &status) == 0 && status.st_nlink > 2 ? status.st_nlink - 2 : 1;
}

}  // namespace

std::uint32_t running_children() {
  if (!a_child_runs()) return 0;
  for (milliseconds waited{0}; waited < kChildGrace; waited += kLook) {
    std::this_thread::sleep_for(kLook);
    if (!a_child_runs()) return 0;
  }
  return count_children();
}

void ThreadWatch::settle() {
  // A thread that was joined may take some microseconds to vanish: look often at first.
  for (int look = 0; look < kQuickLooks && thread_count() > accepted_; ++look) std::this_thread::sleep_for(kQuickLook);
  for (milliseconds waited{0}; waited < kThreadGrace && thread_count() > accepted_; waited += kLook)
    std::this_thread::sleep_for(kLook);
  accepted_ = thread_count();
}

}  // namespace xqacheck::properties::isolation
