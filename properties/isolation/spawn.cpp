#include "properties/isolation/spawn.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "properties/errors.hpp"
#include "properties/isolation/supervisor.hpp"
#include "properties/isolation/wire.hpp"

extern char** environ;

namespace xqacheck::properties::isolation {
namespace {

constexpr const char* kProgram = "xqacheck-worker";

std::string own_directory() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return ".";
  const std::string text(path, static_cast<std::size_t>(length));
  return text.substr(0, text.rfind('/'));
}

// posix_spawn's file actions run in order: descriptors that are sources must not be among the targets 0…3.
UniqueFd above_targets(UniqueFd fd) {
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kControlDescriptor + 1);
  if (moved < 0)
    throw EnvironmentError(
        fmt::format("cannot duplicate a file descriptor ({}); raise `ulimit -n`", std::strerror(errno)));
  return UniqueFd(moved);
}

struct Actions {
  Actions() { posix_spawn_file_actions_init(&actions); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions); }
  posix_spawn_file_actions_t actions;
};

struct Attributes {
  Attributes() {
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);  // its own group: Ctrl-C at the terminal does not reach it
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes); }
  posix_spawnattr_t attributes;
};

}  // namespace

std::string find_worker_program() {
  std::vector<std::string> places;
  if (const char* program = std::getenv("XQACHECK_WORKER")) places.emplace_back(program);
  if (const char* directory = std::getenv("XQACHECK_BIN")) places.push_back(fmt::format("{}/{}", directory, kProgram));
  places.push_back(fmt::format("{}/{}", own_directory(), kProgram));
  places.push_back(fmt::format("{}/../libexec/xqacheck/{}", own_directory(), kProgram));
  for (const std::string& place : places)
    if (access(place.c_str(), X_OK) == 0) return place;
  throw EnvironmentError(
      fmt::format("the program {} was not found (searched: {}); build or install it, or set XQACHECK_WORKER", kProgram,
                  fmt::join(places, ", ")));
}

SupervisorProcess spawn_supervisor(const WorkerSetup& setup) {
  const std::string program = find_worker_program();
  SocketPair sockets = make_socket_pair();
  int log_ends[2];
  if (pipe2(log_ends, O_CLOEXEC) != 0)
    throw EnvironmentError(fmt::format("cannot make a pipe for a worker ({})", std::strerror(errno)));
  SupervisorProcess process;
  process.control = std::move(sockets.ours);
  process.log = UniqueFd(log_ends[0]);
  fcntl(process.log.get(), F_SETFL, O_NONBLOCK);
  const UniqueFd log = above_targets(UniqueFd(log_ends[1]));
  const UniqueFd control = above_targets(std::move(sockets.theirs));

  Actions actions;
  posix_spawn_file_actions_addopen(&actions.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.actions, log.get(), 1);
  posix_spawn_file_actions_adddup2(&actions.actions, log.get(), 2);
  posix_spawn_file_actions_adddup2(&actions.actions, control.get(), kControlDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&actions.actions, kControlDescriptor + 1);

  const std::string limit = fmt::format("{}", setup.data_limit);
  std::vector<const char*> arguments{program.c_str(), "--kernel", setup.kernel.c_str(), "--data-limit", limit.c_str()};
  if (setup.list) arguments.push_back("--list");
  arguments.push_back(nullptr);
  Attributes attributes;
  const int error = posix_spawn(&process.pid, program.c_str(), &actions.actions, &attributes.attributes,
                                const_cast<char* const*>(arguments.data()), environ);
  if (error != 0) throw EnvironmentError(fmt::format("cannot start {} ({})", program, std::strerror(error)));
  return process;
}

}  // namespace xqacheck::properties::isolation
