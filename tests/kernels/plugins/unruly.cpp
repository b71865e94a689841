// Kernels that return, but leave something behind: processes, threads, output, state.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "faulty_table.hpp"

namespace {

using Instance = xqacheck_instance;
using Problem = xqacheck_problem;
using Launch = xqacheck_launch;

// The bounds keep a broken harness from taking the machine down.
constexpr int kMostProcesses = 60;
constexpr unsigned kLongestLife = 120;
constexpr std::size_t kMostMemory = std::size_t{40} << 30;

[[noreturn]] void live_on() {
  sleep(kLongestLife);
  _exit(0);
}

xqacheck_status fork_and_return(Instance* i, const Problem* p, const Launch* l) {
  fork();  // both go on
  return plain::run(i, p, l);
}

xqacheck_status fork_sleeper(Instance* i, const Problem* p, const Launch* l) {
  if (fork() == 0) live_on();
  return plain::run(i, p, l);
}

xqacheck_status daemonise(Instance* i, const Problem* p, const Launch* l) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    for (int s = 1; s < 32; ++s) signal(s, SIG_IGN);
    if (fork() == 0) live_on();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return plain::run(i, p, l);
}

// Daemonises and then crashes: the supervisor has to find what escaped.
xqacheck_status daemonise_and_crash(Instance* i, const Problem* p, const Launch* l) {
  daemonise(i, p, l);
  std::abort();
}

// Every process starts another in a session of its own, up to a bound.
xqacheck_status fork_bomb(Instance*, const Problem*, const Launch*) {
  for (int i = 0; i < kMostProcesses; ++i) {
    setsid();
    if (fork() != 0 && i > 0) live_on();
  }
  live_on();
}

xqacheck_status fork_and_reap(Instance* i, const Problem* p, const Launch* l) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return plain::run(i, p, l);
}

xqacheck_status hog_memory(Instance*, const Problem*, const Launch*) {
  std::vector<char*> blocks;
  for (std::size_t taken = 0; taken < kMostMemory; taken += 64 << 20) {
    char* block = new char[64 << 20];
    std::memset(block, 1, 64 << 20);
    blocks.push_back(block);
  }
  return XQACHECK_OK;
}

xqacheck_status print_garbage(Instance* i, const Problem* p, const Launch* l) {
  for (int k = 0; k < 1000; ++k) std::printf("%d \x01\x02 garbage, garbage, garbage\n", k);
  std::fprintf(stderr, "the last line\n");
  return plain::run(i, p, l);
}

xqacheck_status print_for_ever(Instance*, const Problem*, const Launch*) {
  for (;;) std::puts("more");
}

xqacheck_status write_everywhere(Instance* i, const Problem* p, const Launch* l) {
  for (int fd = 3; fd < 1024; ++fd) (void)!write(fd, "garbage", 7);
  return plain::run(i, p, l);
}

xqacheck_status close_everything(Instance* i, const Problem* p, const Launch* l) {
  for (int fd = 0; fd < 1024; ++fd) close(fd);
  return plain::run(i, p, l);
}

xqacheck_status return_early(Instance*, const Problem* p, const Launch*) {
  auto* out = static_cast<char*>(p->out.data);
  std::thread([out] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    out[5] = 1;
  }).detach();
  return XQACHECK_OK;
}

// A pool of threads that only waits is allowed.
xqacheck_status idle_pool(Instance* i, const Problem* p, const Launch* l) {
  static const bool started = [] {
    for (int k = 0; k < 3; ++k) std::thread([] { sleep(kLongestLife); }).detach();
    return true;
  }();
  (void)started;
  return plain::run(i, p, l);
}

xqacheck_status leave_state(Instance* i, const Problem* p, const Launch* l) {
  static_cast<char*>(l->state)[7] = 1;
  return plain::run(i, p, l);
}

xqacheck_status spoil_cache(Instance* i, const Problem* p, const Launch* l) {
  static_cast<char*>(p->k.data)[3] ^= 1;
  static_cast<char*>(p->v.data)[p->v.bytes - 1] ^= 1;
  return plain::run(i, p, l);
}

xqacheck_status kill_group(Instance*, const Problem*, const Launch*) {
  kill(0, SIGKILL);
  return XQACHECK_OK;
}

xqacheck_status kill_parent(Instance* i, const Problem* p, const Launch* l) {
  kill(getppid(), SIGKILL);
  sleep(kLongestLife);
  return plain::run(i, p, l);
}

// Fails where it is called with another mode than the default; leaves one behind.
xqacheck_status round_up(Instance* i, const Problem* p, const Launch* l) {
  if (fegetround() != FE_TONEAREST) return XQACHECK_ERROR;
  fesetround(FE_UPWARD);
  return plain::run(i, p, l);
}

xqacheck_status join_threads(Instance* i, const Problem* p, const Launch* l) {
  std::thread a([] {}), b([] {});
  a.join();
  b.join();
  return plain::run(i, p, l);
}

xqacheck_status read_scratch(Instance* i, const Problem* p, const Launch* l) {
  plain::run(i, p, l);
  std::memcpy(p->out.data, l->scratch, 1);
  std::memset(l->scratch, 0x5a, 300);
  return XQACHECK_OK;
}

// Overwrites every writable mapping whose line in the process's map contains `name`.
void scribble(const char* name) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return;
  struct Range {
    char *begin, *end;
  } ranges[64];
  int count = 0;
  char line[512];
  while (count < 64 && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char mode[5] = "";
    if (std::sscanf(line, "%lx-%lx %4s", &begin, &end, mode) == 3 && mode[1] == 'w' &&
        std::strstr(line, name) != nullptr)
      ranges[count++] = {reinterpret_cast<char*>(begin), reinterpret_cast<char*>(end)};
  }
  std::fclose(maps);
  for (int i = 0; i < count; ++i)
    std::memset(ranges[i].begin, 0xaa, static_cast<std::size_t>(ranges[i].end - ranges[i].begin));
}

xqacheck_status scribble_heap(Instance*, const Problem*, const Launch*) {
  scribble("[heap]");
  return XQACHECK_OK;
}

// All that is shared with the harness and writable: outputs, workspace, canaries, the control page.
xqacheck_status scribble_shared(Instance*, const Problem*, const Launch*) {
  scribble("xqacheck-arena");
  return XQACHECK_OK;
}

xqacheck_status scribble_libraries(Instance*, const Problem*, const Launch*) {
  scribble(".so");
  return XQACHECK_OK;
}

xqacheck_status write_gap(Instance* i, const Problem* p, const Launch* l) {
  static_cast<char*>(p->out.data)[2 * p->head_dim + 1] ^= 1;
  return plain::run(i, p, l);
}

xqacheck_status arm_alarm(Instance* i, const Problem* p, const Launch* l) {
  static int calls = 0;
  if (++calls == 1) alarm(2);
  signal(SIGSEGV, SIG_IGN);
  return plain::run(i, p, l);
}

xqacheck_status die_later(Instance* i, const Problem* p, const Launch* l) {
  static int calls = 0;
  if (++calls == 3) std::abort();
  return plain::run(i, p, l);
}

}  // namespace

#define RUN(name, function) faulty::add<__COUNTER__>(name, [](xqacheck_kernel& k) { k.run = function; })

static const bool registered = [] {
  RUN("fork-and-return", fork_and_return);
  RUN("fork-sleeper", fork_sleeper);
  RUN("daemonise", daemonise);
  RUN("daemonise-and-crash", daemonise_and_crash);
  RUN("fork-bomb", fork_bomb);
  RUN("fork-and-reap", fork_and_reap);
  RUN("hog-memory", hog_memory);
  RUN("print-garbage", print_garbage);
  RUN("print-for-ever", print_for_ever);
  RUN("write-everywhere", write_everywhere);
  RUN("close-everything", close_everything);
  RUN("return-early", return_early);
  RUN("idle-pool", idle_pool);
  RUN("leave-state", leave_state);
  RUN("write-gap", write_gap);
  RUN("spoil-cache", spoil_cache);
  RUN("kill-group", kill_group);
  RUN("kill-parent", kill_parent);
  RUN("round-up", round_up);
  RUN("join-threads", join_threads);
  RUN("read-scratch", read_scratch);
  RUN("scribble-heap", scribble_heap);
  RUN("scribble-shared", scribble_shared);
  RUN("scribble-libraries", scribble_libraries);
  RUN("arm-alarm", arm_alarm);
  RUN("die-later", die_later);
  return true;
}();

extern "C" const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  return faulty::get(abi_version, index);
}
