// The disk cache under fire: racing processes, writers killed at random moments, a flipped byte.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>

#include "kernels/jit/cache.hpp"
#include "kernels/mmha/source.hpp"

using namespace xqacheck::kernels;
namespace fs = std::filesystem;

namespace {

int failures = 0;
void check(bool good, const std::string& what) {
  fmt::print("{} {}\n", good ? "ok  " : "BAD ", what);
  failures += !good;
}

std::vector<jit::CompileRequest> requests() {
  std::vector<jit::CompileRequest> list;
  for (std::uint32_t dim : {64u, 128u})
    list.push_back(mmha::compile_request({dim, dim, XQACHECK_BF16, XQACHECK_E4M3, XQACHECK_BF16}, "sm_90a"));
  return list;
}

// Runs `body` in a child; its return value is the exit code.
pid_t child(const std::function<int()>& body) {
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  return pid;
}
int exit_code(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int fill(const fs::path& folder) {
  try {
    jit::KernelCache cache(folder);
    for (const auto& request : requests())
      if (cache.get(request)->image.empty()) return 2;
    return 0;
  } catch (const std::exception& error) {
    fmt::print("child: {}\n", error.what());
    return 1;
  }
}

std::set<std::string> entries(const fs::path& folder) {
  std::set<std::string> names;
  if (fs::exists(folder))
    for (const auto& file : fs::directory_iterator(folder))
      if (file.path().extension() == ".xqacubin") names.insert(file.path().filename());
  return names;
}

bool all_good(const fs::path& folder) {
  for (const auto& name : entries(folder)) {
    jit::CompiledKernel kernel;
    bool corrupt = false;
    if (!jit::read_entry(folder / name, name.substr(0, 32), kernel, corrupt)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    jit::compiler_version();
  } catch (const jit::CompilerMissing& missing) {
    fmt::print("skipped: {}\n", missing.what());
    return 77;
  }
  const fs::path folder = argc > 1 ? argv[1] : "race_cache";
  fs::remove_all(folder);

  std::vector<pid_t> racers;
  for (int i = 0; i < 8; ++i) racers.push_back(child([&] { return fill(folder); }));
  bool fine = true;
  for (const pid_t pid : racers) fine &= exit_code(pid) == 0;
  check(fine, "8 processes racing on an empty cache report no error");
  check(entries(folder).size() == requests().size() && all_good(folder), "one set of good entries");

  std::mt19937 random(7);  // only moments of a kill depend on it
  for (int i = 0; i < 12; ++i) {
    fs::remove_all(folder);
    const pid_t pid = child([&] { return fill(folder); });
    usleep(random() % 400000);
    kill(pid, SIGKILL);
    exit_code(pid);
    if (!all_good(folder)) check(false, "a killed writer left a bad entry");
  }
  check(exit_code(child([&] { return fill(folder); })) == 0 && all_good(folder),
        "after 12 killed writers the cache fills again");

  const fs::path victim = folder / *entries(folder).begin();
  {
    std::fstream file(victim, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200), file.put('\x5a');
  }
  jit::KernelCache cache(folder);
  for (const auto& request : requests()) cache.get(request);
  const auto statistics = cache.statistics();
  check(statistics.corrupt >= 1 && statistics.compiled == 1 && statistics.from_disk == requests().size() - 1,
        "a flipped byte is detected and rebuilt");
  check(all_good(folder), "and the rebuilt entry is good");
  for (const auto& request : requests()) cache.get(request);
  check(cache.statistics().from_process == requests().size(), "a second request comes from the process");
  fs::remove_all(folder);
  return failures == 0 ? 0 : 1;
}
