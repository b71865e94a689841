// The harness is killed with SIGKILL at random moments: whatever its kernels were doing, nothing survives it.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/properties/isolation/process_census.hpp"

extern char** environ;

using namespace xqacheck;

namespace {

const std::string kUnruly = XQACHECK_TEST_PLUGINS "/unruly.so:";
const std::string kCrashing = XQACHECK_TEST_PLUGINS "/crashing.so:";

pid_t spawn_victim(const std::vector<std::string>& kernels) {
  std::vector<std::string> arguments{XQACHECK_TEST_VICTIM};
  arguments.insert(arguments.end(), kernels.begin(), kernels.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, XQACHECK_TEST_VICTIM, &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

void kill_at_random_moments(int times) {
  const std::vector<std::string> choices[] = {
      {XQACHECK_TEST_PLUGINS "/good.so:copy"},
      {kCrashing + "loop"},
      {kCrashing + "block-and-loop"},
      {kCrashing + "segfault", kUnruly + "fork-sleeper", kUnruly + "die-later"},
      {kUnruly + "daemonise", kUnruly + "daemonise-and-crash"},
      {kUnruly + "idle-pool", kUnruly + "print-garbage", kUnruly + "fork-and-return"},
  };
  std::minstd_rand random(17);
  for (int i = 0; i < times; ++i) {
    const tests::ProcessCensus census;
    const auto& kernels = choices[static_cast<std::size_t>(i) % std::size(choices)];
    const pid_t victim = spawn_victim(kernels);
    REQUIRE(victim > 0);
    // Moments from before the first worker exists to the middle of many cases.
    usleep(static_cast<useconds_t>(random() % 60000));
    REQUIRE(kill(victim, SIGKILL) == 0);
    waitpid(victim, nullptr, 0);
    INFO("kill " << i << ", kernels " << kernels[0] << " …");
    REQUIRE(census.others(20) == 0);
  }
}

}  // namespace

TEST_CASE("no orphan is left when the harness is killed 30 times") {
  kill_at_random_moments(30);
}

TEST_CASE("no orphan is left when the harness is killed 200 times", "[nightly]") {
  kill_at_random_moments(200);
}
