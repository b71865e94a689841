// WorkerLink: the harness's end of one worker. Starts it, sends it cases, and tells how each exchange ended; whenever
// that is anything but an answer, the worker and all it had started are gone when the call returns.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "properties/isolation/arena.hpp"
#include "properties/isolation/control_page.hpp"
#include "properties/isolation/log_tail.hpp"
#include "properties/isolation/protocol.hpp"
#include "properties/isolation/spawn.hpp"
#include "properties/isolation/worker.hpp"

namespace xqacheck::properties::isolation {

enum class Ending : std::uint8_t {
  answered,
  died,       // by a signal or by exit: see `gone`
  closed,     // it closed its connection and lived on; killed
  garbage,    // something else than our messages came over the connection; killed
  stopped,    // a stop signal (`signal`); killed
  timed_out,  // killed
};

struct Exchange {
  Ending ending = Ending::answered;
  Message message;      // if answered
  GoneReport gone;      // if not
  int signal = 0;       // if stopped
  bool undead = false;  // the system did not let the worker die in time
};

class WorkerLink {
 public:
  using Seconds = std::chrono::duration<double>;

  explicit WorkerLink(WorkerSetup setup);
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  bool running() const { return socket_.get() >= 0; }
  // Starts a worker and returns what it says about itself. Throws kernels::LoadError when the kernel cannot be loaded,
  // however it fails, and EnvironmentError when no worker can be had.
  LoadedReport start(Seconds timeout);
  // One request, one answer. The worker must be running.
  Exchange ask(MessageType type, std::span<const std::byte> payload, std::uint64_t sequence, Seconds timeout);
  // Ends the worker now; the next start() gets a fresh one.
  void end();
  // False when the worker ended by itself since the last exchange (`exchange` says how); it is then cleared away.
  bool still_there(Exchange& exchange);

  Arena& arena() { return arena_; }
  const ControlPage& control_page();
  const LogTail& log() const { return log_; }

 private:
  void spawn_if_needed();
  Exchange wait(std::uint64_t sequence, Seconds timeout);
  bool take_control_message(Exchange& exchange);
  void kill_and_wait(Exchange& exchange);
  void drop_supervisor();
  std::string death_while_loading(const Exchange& exchange, Seconds timeout);

  WorkerSetup setup_;
  Arena arena_;
  SupervisorProcess supervisor_;
  UniqueFd socket_;
  std::uint64_t start_sequence_ = 0;
  LogTail log_;
};

}  // namespace xqacheck::properties::isolation
