#include "properties/isolation/process_runner.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "properties/errors.hpp"
#include "properties/isolation/case_layout.hpp"
#include "properties/isolation/collect.hpp"
#include "properties/isolation/ending_text.hpp"
#include "properties/isolation/worker_link.hpp"

namespace xqacheck::properties {
namespace {

using namespace isolation;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCanLimitMemory = false;  // the sanitizer's shadow is private memory of terabytes
#else
constexpr bool kCanLimitMemory = true;
#endif

std::uint64_t default_data_limit() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4 * 3 : 0;
}

WorkerSetup setup_of(const std::string& kernel, const ProcessOptions& options) {
  WorkerSetup setup;
  setup.kernel = kernel;
  if (kCanLimitMemory) setup.data_limit = options.data_limit != 0 ? options.data_limit : default_data_limit();
  return setup;
}

}  // namespace

class ProcessRunner::Body {
 public:
  Body(const std::string& kernel, const ProcessOptions& options) : options_(options), link_(setup_of(kernel, options)) {
    start();
  }

  Outcome run(const reference::Problem& problem, const RunOptions& options) {
    const bool has_history = link_.running() && cases_in_worker_ > 0;
    const std::uint64_t worker = workers_started_;
    Outcome outcome = run_once(problem, options);
    if (!options_.confirm_crashes || !has_history || worker != workers_started_ || ending_ != Ending::died)
      return outcome;
    Outcome again = run_once(problem, options);
    if (again.status == RunStatus::crashed) return again;  // the same without a history
    outcome.why += "; a new worker did not crash on this case: one of those before it, or chance, has a part in it";
    return outcome;
  }

  const xqacheck_description& description() const { return loaded_.kernels[0].get(); }
  const std::string& device() const { return loaded_.device; }
  std::uint64_t workers_started() const { return workers_started_; }

 private:
  Outcome run_once(const reference::Problem& problem, const RunOptions& options) {
    Outcome outcome;
    ending_ = Ending::answered;
    // A worker may have died between two cases, or before it looked at this one: that is not this case's fault.
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!make_ready(outcome)) return outcome;
      const CaseLayout layout = lay_out(problem, options, loaded_.base, link_.arena());
      Packer packer;
      packer.put(layout.request);
      packer.put(static_cast<std::uint32_t>(layout.written.size()));
      for (const WrittenRange& range : layout.written) packer.put(range);
      const std::uint64_t sequence = ++sequence_;
      const Exchange exchange =
          link_.ask(MessageType::run_case, packer.bytes(), sequence, WorkerLink::Seconds(options.timeout_seconds));
      const bool begun = link_.control_page().sequence.load() == sequence;
      if (exchange.ending == Ending::died && !begun && attempt == 0) continue;
      ending_ = exchange.ending;
      finish(problem, options, layout, exchange, outcome);
      break;
    }
    link_.arena().trim();
    if (++cases_in_worker_ >= (options_.fresh ? 1 : options_.cases_per_worker)) link_.end();
    return outcome;
  }

  void start() {
    loaded_ = link_.start(WorkerLink::Seconds(options_.load_timeout_seconds));
    if (loaded_.kernels.size() != 1) throw EnvironmentError("the worker named no kernel");
    ++workers_started_;
    cases_in_worker_ = 0;
    if (loaded_.device.starts_with("none: "))
      throw EnvironmentError(
          fmt::format("kernel {} needs a CUDA device: {}", description().name, loaded_.device.substr(6)));
  }

  bool make_ready(Outcome& outcome) {
    outcome = Outcome{};
    if (link_.running()) {
      Exchange exchange;
      if (link_.still_there(exchange)) return set_route(outcome);
    }
    try {
      start();
      return set_route(outcome);
    } catch (const kernels::LoadError& error) {  // it did load before: a kernel whose loading fails now and then
      set_route(outcome);
      outcome.status = RunStatus::crashed;
      outcome.why = fmt::format("a new worker could not load the kernel again: {}", error.what());
      return false;
    }
  }

  bool set_route(Outcome& outcome) const {
    outcome.route = {description().name, description().version, loaded_.device, 0, ""};
    return true;
  }

  void finish(const reference::Problem& problem, const RunOptions& options, const CaseLayout& layout,
              const Exchange& exchange, Outcome& outcome) {
    if (exchange.ending == Ending::answered) {
      read_answer(problem, options, layout, exchange, outcome);
      return;
    }
    CaseRequest request = layout.request;
    const ControlPage& page = link_.control_page();
    request.plans[kScratchSlot] = page.scratch;
    request.plans[kStateSlot] = page.state;
    const AddressBook book{loaded_.base, link_.arena().stride(), request.plans, loaded_.module};
    outcome.status = exchange.ending == Ending::timed_out || exchange.ending == Ending::stopped ? RunStatus::hung
                                                                                                : RunStatus::crashed;
    outcome.why = ending_text(exchange, page, book, link_.log(), options.timeout_seconds);
  }

  void read_answer(const reference::Problem& problem, const RunOptions& options, CaseLayout layout,
                   const Exchange& exchange, Outcome& outcome) {
    DoneReport report;
    std::string why, compiled;
    Unpacker unpacker(exchange.message.payload);
    const std::uint64_t stride = link_.arena().stride();
    if (exchange.message.type != MessageType::done || !unpacker.get(report) || !unpacker.get_text(why) || !unpacker.get_text(compiled) ||
        report.status > RunStatus::hung || !is_plausible(report.scratch, stride) ||
        !is_plausible(report.state, stride)) {
      link_.end();
      outcome.status = RunStatus::crashed;
      outcome.why = "worker protocol broken: an answer that makes no sense; the kernel wrote over the worker's memory";
      return;
    }
    outcome.status = report.status;
    outcome.why = why;
    outcome.seconds = report.seconds;
    outcome.state_left_zero = report.state_left_zero != 0;
    outcome.route.splits = report.splits;
    outcome.route.compiled = compiled;
    layout.request.plans[kScratchSlot] = report.scratch;
    layout.request.plans[kStateSlot] = report.state;
    if (report.status == RunStatus::ok) collect(problem, options, layout, link_.arena(), outcome);
    if (report.status == RunStatus::crashed || report.status == RunStatus::error)
      if (const std::string printed = link_.log().text(); !printed.empty()) outcome.why += "; it printed: " + printed;
    if (report.tainted != 0) link_.end();
  }

  ProcessOptions options_;
  WorkerLink link_;
  LoadedReport loaded_;
  std::uint64_t sequence_ = 0;
  Ending ending_ = Ending::answered;  // of the last case
  std::uint64_t workers_started_ = 0;
  std::uint64_t cases_in_worker_ = 0;
};

ProcessRunner::ProcessRunner(std::string kernel, ProcessOptions options)
    : body_(std::make_unique<Body>(kernel, options)) {}
ProcessRunner::~ProcessRunner() = default;
Outcome ProcessRunner::run(const reference::Problem& problem, const RunOptions& options) {
  return body_->run(problem, options);
}
const xqacheck_description& ProcessRunner::description() {
  return body_->description();
}
std::string ProcessRunner::device() {
  return body_->device();
}
std::uint64_t ProcessRunner::workers_started() const {
  return body_->workers_started();
}

std::vector<kernels::OwnedDescription> list_kernels(const std::string& plugin, double timeout_seconds) {
  WorkerSetup setup;
  setup.kernel = plugin.empty() ? "builtin" : plugin;
  setup.list = true;
  WorkerLink link(setup);
  return link.start(WorkerLink::Seconds(timeout_seconds)).kernels;
}

}  // namespace xqacheck::properties
