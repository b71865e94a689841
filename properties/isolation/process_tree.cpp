#include "properties/isolation/process_tree.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

namespace xqacheck::properties::isolation {
namespace {

// A process in an uninterruptible system call (a hanging device driver) may never die.
constexpr std::chrono::seconds kPatience{5};

// Parent of a process from /proc/PID/stat, whose second field is the name in parentheses; 0 if it is gone.
pid_t parent_of(pid_t pid) {
  std::FILE* file = std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "re");
  if (file == nullptr) return 0;
  char line[512];
  const std::size_t got = std::fread(line, 1, sizeof line - 1, file);
  std::fclose(file);
  line[got] = '\0';
  const std::string_view text(line, got);
  const std::size_t name_end = text.rfind(')');
  pid_t parent = 0;
  if (name_end == std::string_view::npos || std::sscanf(line + name_end + 1, " %*c %d", &parent) != 1) return 0;
  return parent;
}

std::set<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;
  DIR* directory = opendir("/proc");
  if (directory == nullptr) return {};
  while (const dirent* entry = readdir(directory))
    if (const pid_t pid = static_cast<pid_t>(std::atoi(entry->d_name)); pid > 0) children.emplace(parent_of(pid), pid);
  closedir(directory);
  std::set<pid_t> found;
  std::set<pid_t> frontier{getpid()};
  while (!frontier.empty()) {
    std::set<pid_t> next;
    for (const pid_t parent : frontier) {
      const auto [begin, end] = children.equal_range(parent);
      for (auto child = begin; child != end; ++child)
        if (found.insert(child->second).second) next.insert(child->second);
    }
    frontier = std::move(next);
  }
  return found;
}

// Reaps what is dead. True when no child is left.
bool reap(pid_t leader, Burial& burial) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) return false;
    if (pid < 0) return true;
    if (pid == leader) {
      burial.wait_status = status;
      burial.leader_found = true;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
      ++burial.strays;
    }
  }
}

}  // namespace

Burial bury_descendants(pid_t leader) {
  Burial burial;
  // Before the leader is reaped its number cannot belong to another group. The group goes at once: no fork gets away.
  if (leader > 0) kill(-leader, SIGKILL);
  if (leader > 0) kill(leader, SIGKILL);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  // The first rounds give the killed time to die; only what then remains is worth a search through /proc.
  for (int round = 0; !reap(leader, burial) && std::chrono::steady_clock::now() < deadline; ++round) {
    if (round >= 3)
      for (const pid_t pid : descendants()) kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::microseconds(round < 3 ? 200 : 1000));
  }
  return burial;
}

}  // namespace xqacheck::properties::isolation
