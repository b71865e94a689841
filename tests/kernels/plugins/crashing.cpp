// Kernels that do not return as they should.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "faulty_table.hpp"

namespace {

using Instance = xqacheck_instance;
using Problem = xqacheck_problem;
using Launch = xqacheck_launch;

volatile int* volatile null_pointer = nullptr;
volatile int zero = 0;

int overflow_stack(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = static_cast<char>(depth);
  if (zero != 0) return 0;  // never; a compiler must not know
  return overflow_stack(depth + 1) + frame[0];
}

template <void (*Fault)()>
xqacheck_status run_then(Instance*, const Problem*, const Launch*) {
  Fault();
  return XQACHECK_OK;
}

void segfault() {
  *null_pointer = 1;
}
void abort_it() {
  std::abort();
}
void loop() {
  while (zero == 0) {
  }
}
void exit_zero() {
  std::exit(0);
}
void underscore_exit_zero() {
  _exit(0);
}
void throw_it() {
  throw std::runtime_error("no tile fits");
}
void throw_int() {
  throw 7;
}
void out_of_memory() {
  throw std::bad_alloc();
}
void kill_itself() {
  kill(getpid(), SIGKILL);
}
void stop_itself() {
  raise(SIGSTOP);
}
void divide() {
  zero = 12345 / zero;
}
void trap() {
  __builtin_trap();
}
void stack() {
  zero = overflow_stack(1);
}
void send_segv() {
  raise(SIGSEGV);
}
void exit_thread() {
  pthread_exit(nullptr);
}
void segfault_in_thread() {
  std::thread(segfault).join();
}
void throw_in_thread() {
  std::thread([] { throw std::runtime_error("thread failed"); }).join();
}
void say_and_abort() {
  std::printf("tile 3: assertion failed\n");
  std::abort();
}
void block_and_segfault() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  segfault();
}
void block_and_loop() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  loop();
}

xqacheck_status crash_in_supports(const Problem*, char*, size_t) {
  segfault();
  return XQACHECK_OK;
}
xqacheck_status crash_in_prepare(const Problem*, Instance**, char*, size_t) {
  segfault();
  return XQACHECK_OK;
}
xqacheck_status crash_in_workspace(Instance*, const Problem*, xqacheck_workspace*) {
  segfault();
  return XQACHECK_OK;
}
std::uint32_t crash_in_split_plan(const Problem*) {
  segfault();
  return 1;
}
void crash_in_destroy(Instance*) {
  segfault();
}
void sleep_in_destroy(Instance*) {
  sleep(3600);
}
void exit_in_destroy(Instance*) {
  std::exit(3);
}

xqacheck_status overrun_why(const Problem*, char* why, size_t why_bytes) {
  std::memset(why, 'x', why_bytes + 1);
  return XQACHECK_UNSUPPORTED;
}
xqacheck_status unterminated_why(const Problem*, char* why, size_t why_bytes) {
  std::memset(why, 'x', why_bytes);
  return XQACHECK_UNSUPPORTED;
}
xqacheck_status silent_no(const Problem*, char*, size_t) {
  return XQACHECK_UNSUPPORTED;
}
xqacheck_status status_of_another_world(Instance*, const Problem*, const Launch*) {
  return static_cast<xqacheck_status>(42);
}
xqacheck_status unsupported_in_run(Instance*, const Problem*, const Launch*) {
  return XQACHECK_UNSUPPORTED;
}
xqacheck_status odd_alignment(Instance*, const Problem*, xqacheck_workspace* sizes) {
  *sizes = {256, 0, 3, 0};
  return XQACHECK_OK;
}
xqacheck_status endless_workspace(Instance*, const Problem*, xqacheck_workspace* sizes) {
  *sizes = {~std::uint64_t{0}, 0, 16, 0};
  return XQACHECK_OK;
}

}  // namespace

#define RUN(name, function) faulty::add<__COUNTER__>(name, [](xqacheck_kernel& k) { k.run = run_then<function>; })
#define SET(name, member, function) faulty::add<__COUNTER__>(name, [](xqacheck_kernel& k) { k.member = function; })

static const bool registered = [] {
  RUN("segfault", segfault);
  RUN("abort", abort_it);
  RUN("loop", loop);
  RUN("exit", exit_zero);
  RUN("_exit", underscore_exit_zero);
  RUN("throw", throw_it);
  RUN("throw-int", throw_int);
  RUN("bad-alloc", out_of_memory);
  RUN("kill-itself", kill_itself);
  RUN("stop-itself", stop_itself);
  RUN("divide", divide);
  RUN("trap", trap);
  RUN("stack-overflow", stack);
  RUN("send-segv", send_segv);
  RUN("exit-thread", exit_thread);
  RUN("segfault-in-thread", segfault_in_thread);
  RUN("throw-in-thread", throw_in_thread);
  RUN("say-and-abort", say_and_abort);
  RUN("block-and-segfault", block_and_segfault);
  RUN("block-and-loop", block_and_loop);
  SET("crash-in-supports", supports, crash_in_supports);
  SET("crash-in-prepare", prepare, crash_in_prepare);
  SET("crash-in-workspace", workspace, crash_in_workspace);
  SET("crash-in-split-plan", split_plan, crash_in_split_plan);
  SET("crash-in-destroy", destroy, crash_in_destroy);
  SET("sleep-in-destroy", destroy, sleep_in_destroy);
  SET("exit-in-destroy", destroy, exit_in_destroy);
  SET("overrun-why", supports, overrun_why);
  SET("unterminated-why", supports, unterminated_why);
  SET("silent-no", supports, silent_no);
  SET("strange-status", run, status_of_another_world);
  SET("unsupported-in-run", run, unsupported_in_run);
  SET("odd-alignment", workspace, odd_alignment);
  SET("endless-workspace", workspace, endless_workspace);
  return true;
}();

extern "C" const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  return faulty::get(abi_version, index);
}
