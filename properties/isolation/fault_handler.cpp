#include "properties/isolation/fault_handler.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cfenv>
#include <cstdlib>

namespace xqacheck::properties::isolation {
namespace {

constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
// The handler needs little, but the C library may push a large vector state on the signal frame.
constexpr std::size_t kAlternateStackBytes = 64 << 10;

ControlPage* control_page = nullptr;
pid_t worker_pid = 0;

void read_context(FaultRecord& record, const ucontext_t& context) {
#if defined(__x86_64__)
  record.pc = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  record.sp = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
  // Page-fault error code: bit 1 write, bit 4 instruction fetch (Intel SDM vol. 3, 4.7); trap 14 is the page fault.
  if (context.uc_mcontext.gregs[REG_TRAPNO] != 14) return;
  const auto error = context.uc_mcontext.gregs[REG_ERR];
  record.access = (error & 16) != 0 ? 3 : (error & 2) != 0 ? 2 : 1;
#elif defined(__aarch64__)
  record.pc = context.uc_mcontext.pc;
  record.sp = context.uc_mcontext.sp;
#endif
}

// Async-signal-safe: plain stores, and system calls.
void on_fatal_signal(int signal_number, siginfo_t* info, void* context) {
  // A child that the kernel forked shares the page but must not speak for the worker; of several threads the first
  // wins.
  std::uint32_t free = 0;
  if (getpid() == worker_pid && control_page->fault.valid.compare_exchange_strong(free, 1)) {
    FaultRecord& record = control_page->fault;
    record.signal = signal_number;
    record.code = info->si_code;
    record.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    record.main_thread = static_cast<pid_t>(syscall(SYS_gettid)) == worker_pid;
    record.access = 0;
    read_context(record, *static_cast<const ucontext_t*>(context));
    record.valid.store(2);
  }
  signal(signal_number, SIG_DFL);
  // A fault of the processor comes again on return; a signal that somebody sent does not.
  if (info->si_code <= 0) raise(signal_number);
}

void on_exit_called() {
  if (control_page != nullptr && getpid() == worker_pid) control_page->exit_called.store(1);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int number : kFatalSignals) sigaction(number, &action, nullptr);
}

}  // namespace

void install_fault_handlers(ControlPage& control) {
  control_page = &control;
  worker_pid = getpid();
  // Its own mapping with an unmapped page below: a handler that overflows must not write into other memory.
  void* stack = mmap(nullptr, kAlternateStackBytes + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack != MAP_FAILED &&
      mprotect(static_cast<std::byte*>(stack) + kPage, kAlternateStackBytes, PROT_READ | PROT_WRITE) == 0) {
    const stack_t alternate{static_cast<std::byte*>(stack) + kPage, 0, kAlternateStackBytes};
    sigaltstack(&alternate, nullptr);
  }
  install_handlers();
  std::atexit(on_exit_called);
}

void restore_process_state() {
  std::fesetenv(FE_DFL_ENV);
  install_handlers();
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const itimerval disarmed{};
  setitimer(ITIMER_REAL, &disarmed, nullptr);
  control_page->fault.valid.store(0);
}

}  // namespace xqacheck::properties::isolation
