#include "properties/isolation/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "properties/isolation/process_tree.hpp"
#include "properties/isolation/protocol.hpp"

namespace xqacheck::properties::isolation {
namespace {

class Supervisor {
 public:
  Supervisor(const WorkerSetup& setup, UniqueFd control) : setup_(setup), control_(std::move(control)) {
    prctl(PR_SET_NAME, "xqacheck-super");
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a kernel daemonises comes back here
    // A signal to the terminal's group or to all processes of the name must not end the one that cleans up.
    for (int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP}) signal(number, SIG_IGN);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    child_events_ = UniqueFd(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  int supervise() {
    for (;;) {
      pollfd events[2] = {{control_.get(), POLLIN, 0}, {child_events_.get(), POLLIN, 0}};
      if (poll(events, 2, -1) < 0) continue;
      if (events[1].revents != 0) on_child_event();
      if (events[0].revents != 0 && !on_message()) {
        bury_descendants(worker_);
        return 0;
      }
    }
  }

 private:
  bool on_message() {
    Message message;
    if (receive_message(control_.get(), message, true) != Received::message) return false;
    if (message.type == MessageType::start && message.descriptors.size() == 2)
      start(message);
    else if (message.type == MessageType::kill && worker_ > 0 && message.sequence == sequence_)
      bury();
    return true;
  }

  void start(Message& message) {
    if (worker_ > 0) bury();
    sequence_ = message.sequence;
    const pid_t self = getpid();
    worker_ = fork();
    if (worker_ == 0) become_worker(self, std::move(message.descriptors[0]), std::move(message.descriptors[1]));
    if (worker_ < 0) {
      std::perror("xqacheck-worker: fork");
      report({}, MessageType::gone);
      return;
    }
    setpgid(worker_, worker_);  // both sides do it: whoever is first
  }

  [[noreturn]] void become_worker(pid_t supervisor, UniqueFd socket, UniqueFd shared_memory) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that the worker notices processes a kernel leaves behind
    for (int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP}) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    control_.reset();
    child_events_.reset();
    const rlimit no_core{0, 0};  // a crash is a finding, not a file
    setrlimit(RLIMIT_CORE, &no_core);
    // When memory runs out, the system shall take the kernel under test, not the harness.
    std::ofstream("/proc/self/oom_score_adj") << 1000;
    _exit(worker_main(setup_, std::move(socket), std::move(shared_memory)));
  }

  void on_child_event() {
    signalfd_siginfo info{};
    while (read(child_events_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    }
    if (worker_ <= 0) return;
    siginfo_t state{};
    if (waitid(P_PID, static_cast<id_t>(worker_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        state.si_pid == worker_) {
      bury();
      return;
    }
    siginfo_t stop{};
    if (waitid(P_PID, static_cast<id_t>(worker_), &stop, WSTOPPED | WNOHANG) == 0 && stop.si_pid == worker_) {
      Packer packer;
      packer.put(static_cast<std::int32_t>(stop.si_status));
      send_message(control_.get(), MessageType::stopped, sequence_, packer.bytes());
    }
  }

  void bury() {
    const Burial burial = bury_descendants(worker_);
    worker_ = -1;
    report({burial.wait_status, burial.strays}, MessageType::gone);
  }

  void report(const GoneReport& gone, MessageType type) {
    Packer packer;
    packer.put(gone);
    send_message(control_.get(), type, sequence_, packer.bytes());
  }

  const WorkerSetup& setup_;
  UniqueFd control_, child_events_;
  pid_t worker_ = -1;
  std::uint64_t sequence_ = 0;
};

}  // namespace

int supervisor_main(const WorkerSetup& setup, UniqueFd control) {
  return Supervisor(setup, std::move(control)).supervise();
}

}  // namespace xqacheck::properties::isolation
