#include "properties/isolation/worker_link.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>

#include "properties/errors.hpp"
#include "properties/isolation/ending_text.hpp"

namespace xqacheck::properties::isolation {
namespace {

using Clock = std::chrono::steady_clock;

// How long a supervisor may take to bury a worker before the worker counts as undead: its own patience and some more.
constexpr std::chrono::seconds kBurialPatience{8};
// A worker that closed its connection is normally just dying; its supervisor then speaks up within this.
constexpr std::chrono::seconds kDeathPatience{5};
// A supervisor that was told to leave (end of file) needs no longer than its own patience with a worker.
constexpr std::chrono::seconds kLeavePatience{7};

int milliseconds_until(Clock::time_point deadline) {
  const double left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::min(std::ceil(left), 1e9));
}

// A connection closes because the worker died or because the kernel closed it: the worker's own end tells which.
void died_by_itself(Exchange& exchange) {
  const int status = exchange.gone.wait_status;
  if (!(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) exchange.ending = Ending::died;
}

}  // namespace

WorkerLink::WorkerLink(WorkerSetup setup) : setup_(std::move(setup)) {
  // The page must be readable before the first worker has written to it.
  new (arena_.slot(kControlSlot, 2 * kPage) + kPage) ControlPage;
}

WorkerLink::~WorkerLink() {
  drop_supervisor();
}

const ControlPage& WorkerLink::control_page() {
  return *reinterpret_cast<ControlPage*>(arena_.slot(kControlSlot, 2 * kPage) + kPage);
}

void WorkerLink::drop_supervisor() {
  socket_.reset();
  if (supervisor_.pid <= 0) return;
  supervisor_.control.reset();  // end of file: it buries its worker and leaves
  const auto deadline = Clock::now() + kLeavePatience;
  pid_t reaped = 0;
  for (int round = 0; (reaped = waitpid(supervisor_.pid, nullptr, WNOHANG)) == 0 && Clock::now() < deadline; ++round) {
    // A worker may wait for room in the log: nobody reads it any more, so make it an error.
    if (round == 10) supervisor_.log.reset();
    poll(nullptr, 0, 1);
  }
  if (reaped == 0) {
    kill(supervisor_.pid, SIGKILL);
    waitpid(supervisor_.pid, nullptr, 0);
  }
  supervisor_ = SupervisorProcess{};
}

void WorkerLink::spawn_if_needed() {
  if (supervisor_.pid > 0) {
    pollfd event{supervisor_.control.get(), POLLIN, 0};
    if (poll(&event, 1, 0) == 0) return;
    drop_supervisor();  // it died, or speaks out of turn
  }
  supervisor_ = spawn_supervisor(setup_);
}

LoadedReport WorkerLink::start(Seconds timeout) {
  end();
  spawn_if_needed();
  log_.clear();
  new (arena_.slot(kControlSlot, 2 * kPage) + kPage) ControlPage;
  SocketPair sockets = make_socket_pair();
  const int descriptors[] = {sockets.theirs.get(), arena_.fd()};
  if (!send_message(supervisor_.control.get(), MessageType::start, ++start_sequence_, {}, descriptors)) {
    log_.drain(supervisor_.log.get());
    drop_supervisor();
    throw EnvironmentError(
        fmt::format("the worker program ended at once{}{}", log_.text().empty() ? "" : ": ", log_.text()));
  }
  socket_ = std::move(sockets.ours);
  sockets.theirs.reset();
  Exchange exchange = wait(0, timeout);
  if (exchange.ending != Ending::answered) throw kernels::LoadError(death_while_loading(exchange, timeout));

  Unpacker unpacker(exchange.message.payload);
  if (exchange.message.type == MessageType::load_failed) {
    std::string reason;
    unpacker.get_text(reason);
    end();
    throw kernels::LoadError(reason);
  }
  LoadedReport report;
  if (exchange.message.type == MessageType::loaded && report.unpack(unpacker)) return report;
  end();
  throw EnvironmentError(
      fmt::format("{} is not of this build (another protocol); install both programs together", find_worker_program()));
}

std::string WorkerLink::death_while_loading(const Exchange& exchange, Seconds timeout) {
  const ControlPage& page = control_page();
  AddressBook book;
  const std::string text = ending_text(exchange, page, book, log_, timeout.count());
  if (page.stage.load() == Stage::starting)
    throw EnvironmentError(
        exchange.gone.wait_status == SIGKILL && supervisor_.pid <= 0
            ? fmt::format("the worker program ended at once{}{}", log_.text().empty() ? "" : ": ", log_.text())
            : fmt::format("a worker could not start: {}", text));
  return fmt::format("{}: {}: {}", setup_.kernel, exchange.ending == Ending::timed_out ? "hung" : "crashed", text);
}

Exchange WorkerLink::ask(MessageType type, std::span<const std::byte> payload, std::uint64_t sequence,
                         Seconds timeout) {
  log_.clear();
  if (!send_message(socket_.get(), type, sequence, payload)) {
    Exchange exchange;
    exchange.ending = Ending::closed;
    kill_and_wait(exchange);
    died_by_itself(exchange);
    return exchange;
  }
  return wait(sequence, timeout);
}

// Reads one message of the supervisor. True when the exchange is over.
bool WorkerLink::take_control_message(Exchange& exchange) {
  Message message;
  const Received received = receive_message(supervisor_.control.get(), message, false);
  if (received == Received::nothing) return false;
  if (received != Received::message) {
    // The supervisor itself is gone, and by its death signal the worker too.
    exchange.ending = Ending::died;
    exchange.gone.wait_status = SIGKILL;
    drop_supervisor();
    return true;
  }
  if (message.sequence != start_sequence_) return false;  // about a worker of the past
  Unpacker unpacker(message.payload);
  if (message.type == MessageType::gone) {
    unpacker.get(exchange.gone);
    exchange.ending = Ending::died;
    socket_.reset();
    log_.drain(supervisor_.log.get());
    return true;
  }
  if (message.type == MessageType::stopped) {
    std::int32_t number = 0;
    unpacker.get(number);
    exchange.signal = number;
    exchange.ending = Ending::stopped;
    kill_and_wait(exchange);
    return true;
  }
  return false;
}

Exchange WorkerLink::wait(std::uint64_t sequence, Seconds timeout) {
  Exchange exchange;
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
  bool closed = false;
  for (;;) {
    pollfd events[3] = {{supervisor_.control.get(), POLLIN, 0},
                        {supervisor_.log.get(), POLLIN, 0},
                        {closed ? -1 : socket_.get(), POLLIN, 0}};
    const int ready = poll(events, 3, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (events[1].revents != 0) log_.drain(supervisor_.log.get());
    // The answer first: a worker that dies after it has died after the case.
    if (events[2].revents != 0) {
      const Received received = receive_message(socket_.get(), exchange.message, false);
      if (received == Received::message && exchange.message.sequence == sequence) {
        log_.drain(supervisor_.log.get());
        return exchange;
      }
      if (received == Received::message || received == Received::garbage) {
        exchange.ending = Ending::garbage;
        kill_and_wait(exchange);
        return exchange;
      }
      if (received == Received::closed) {
        closed = true;
        deadline = Clock::now() + kDeathPatience;
      }
    }
    if (events[0].revents != 0 && take_control_message(exchange)) return exchange;
    if (Clock::now() >= deadline) {
      exchange.ending = closed ? Ending::closed : Ending::timed_out;
      kill_and_wait(exchange);
      if (closed) died_by_itself(exchange);
      return exchange;
    }
  }
}

void WorkerLink::kill_and_wait(Exchange& exchange) {
  socket_.reset();
  const bool sent =
      supervisor_.pid > 0 && send_message(supervisor_.control.get(), MessageType::kill, start_sequence_, {});
  const auto deadline = Clock::now() + kBurialPatience;
  while (sent) {
    pollfd events[2] = {{supervisor_.control.get(), POLLIN, 0}, {supervisor_.log.get(), POLLIN, 0}};
    poll(events, 2, milliseconds_until(deadline));
    if (events[1].revents != 0) log_.drain(supervisor_.log.get());
    Message message;
    if (events[0].revents != 0) {
      const Received received = receive_message(supervisor_.control.get(), message, false);
      if (received == Received::message && message.type == MessageType::gone && message.sequence == start_sequence_) {
        Unpacker(message.payload).get(exchange.gone);
        log_.drain(supervisor_.log.get());
        return;
      }
      if (received == Received::closed || received == Received::garbage) break;
    }
    if (Clock::now() >= deadline) {
      exchange.undead = true;
      break;
    }
  }
  drop_supervisor();
}

void WorkerLink::end() {
  if (!running()) return;
  Exchange ignored;
  kill_and_wait(ignored);
}

bool WorkerLink::still_there(Exchange& exchange) {
  pollfd event{supervisor_.control.get(), POLLIN, 0};
  return poll(&event, 1, 0) == 0 || !take_control_message(exchange);
}

}  // namespace xqacheck::properties::isolation
