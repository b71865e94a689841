#include "properties/isolation/worker.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

#include "kernels/plugin.hpp"
#include "properties/isolation/fault_handler.hpp"
#include "properties/isolation/launch.hpp"
#include "properties/isolation/leftovers.hpp"
#include "properties/isolation/protocol.hpp"
#include "properties/isolation/worker_memory.hpp"
#include "properties/isolation/worker_workspaces.hpp"

namespace xqacheck::properties::isolation {
namespace {

// A kernel that confuses file descriptors hits small numbers; the connection sits above them.
constexpr int kHighDescriptor = 700;

UniqueFd move_up(UniqueFd fd) {
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kHighDescriptor);
  return moved >= 0 ? UniqueFd(moved) : std::move(fd);  // a low `ulimit -n`: it stays where it is
}

void limit_private_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_DATA, &limit);
}

ControlPage& open_control_page(WorkerMemory& memory) {
  SlotPlan plan;
  plan.bytes = sizeof(ControlPage);
  plan.data = plan.map_begin = kPage;
  plan.map_end = 2 * kPage;
  plan.access = Access::write;
  memory.apply(kControlSlot, plan);
  return *reinterpret_cast<ControlPage*>(memory.data(kControlSlot, plan));
}

Stage stage_of(kernels::LoadStep step) {
  switch (step) {
    case kernels::LoadStep::open:
      return Stage::loading;
    case kernels::LoadStep::get_kernel:
      return Stage::get_kernel;
    default:
      return Stage::describe;
  }
}

class Worker {
 public:
  Worker(const WorkerSetup& setup, UniqueFd socket, UniqueFd shared_memory)
      : setup_(setup),
        socket_(std::move(socket)),
        memory_(shared_memory.get()),
        control_(open_control_page(memory_)),
        workspaces_(memory_, control_) {
    install_fault_handlers(control_);
  }

  int work() {
    if (!load()) return 1;
    if (kernel_ != nullptr && kernel_->describe()->memory == XQACHECK_HOST) limit_private_memory(setup_.data_limit);
    Message message;
    for (;;) {
      control_.stage = Stage::idle;
      if (receive_message(socket_.get(), message, true) != Received::message) return 0;
      CaseRequest request;
      if (message.type != MessageType::run_case || !read(message, request)) return 2;
      if (!answer(message.sequence, request)) {
        control_.connection_lost = 1;
        return 0;
      }
    }
  }

 private:
  bool load() {
    try {
      const kernels::KernelSpec spec = kernels::parse_kernel_spec(setup_.kernel);
      const kernels::LoadedKernels loaded =
          kernels::load_kernels(spec, [this](kernels::LoadStep step) { control_.stage = stage_of(step); });
      LoadedReport report;
      report.base = memory_.base();
      report.module = loaded.module;
      if (setup_.list) {
        for (const xqacheck_kernel* kernel : loaded.kernels) report.kernels.emplace_back(*kernel->describe());
      } else {
        kernel_ = kernels::choose_kernel(loaded, spec);
        control_.stage = Stage::describe;
        report.kernels.emplace_back(*kernel_->describe());
        launcher_ = kernel_->describe()->memory == XQACHECK_CUDA ? cuda_launcher() : &host_launcher();
        report.device = launcher_ != nullptr ? launcher_->device() : "none";
      }
      Packer packer;
      report.pack(packer);
      return send_message(socket_.get(), MessageType::loaded, 0, packer.bytes());
    } catch (const std::exception& error) {
      Packer packer;
      packer.put_text(error.what());
      send_message(socket_.get(), MessageType::load_failed, 0, packer.bytes());
      return false;
    }
  }

  bool read(const Message& message, CaseRequest& request) {
    Unpacker unpacker(message.payload);
    std::uint32_t count = 0;
    if (!unpacker.get(request) || !unpacker.get(count)) return false;
    written_.clear();
    for (std::uint32_t i = 0; i < count; ++i)
      if (!unpacker.get(written_.emplace_back())) return false;
    return true;
  }

  bool answer(std::uint64_t sequence, const CaseRequest& request) {
    restore_process_state();
    control_.sequence = sequence;
    for (std::uint32_t slot = kProblemSlot; slot < kScratchSlot; ++slot) memory_.apply(slot, request.plans[slot]);
    workspaces_.begin(request);
    control_.scratch = control_.state = SlotPlan{};
    char* why = reinterpret_cast<char*>(memory_.data(kWhySlot, request.plans[kWhySlot]));
    const auto& problem =
        *reinterpret_cast<const xqacheck_problem*>(memory_.data(kProblemSlot, request.plans[kProblemSlot]));

    LaunchResult result;
    if (launcher_ == nullptr) {
      result.status = RunStatus::unsupported;
      result.why = "the kernel needs a CUDA device and this build has no CUDA path";
    } else {
      result = launcher_->launch(*kernel_, problem, site_of(request), workspaces_, why, control_);
    }
    workspaces_.freeze();
    threads_.settle();
    if (const std::uint32_t children = running_children(); children > 0) {
      result.status = RunStatus::crashed;
      result.threw = true;
      result.why = fmt::format("the kernel left {} process{} running", children, children == 1 ? "" : "es");
    }
    std::fflush(nullptr);
    return send_done(sequence, result);
  }

  static bool is_result(std::uint32_t slot) {
    return slot == slot_of(reference::TensorId::out) || slot == slot_of(reference::TensorId::lse);
  }

  LaunchSite site_of(const CaseRequest& request) const {
    LaunchSite site{request.runs, request.place, request.launching, request.schedule, {}};
    for (std::uint32_t slot = kFirstTensorSlot; slot < kScratchSlot; ++slot) {
      const SlotPlan& plan = request.plans[slot];
      if (plan.access == Access::none || plan.bytes == 0) continue;
      site.windows.push_back({slot_name(slot),
                              memory_.slot(slot) + plan.map_begin,
                              plan.data - plan.map_begin,
                              plan.bytes,
                              plan.map_end - plan.data - plan.bytes,
                              plan.align,
                              plan.access == Access::write,
                              false,
                              {},
                              is_result(slot)});
      for (const WrittenRange& range : written_) {
        if (range.slot != slot) continue;
        site.windows.back().sparse = true;
        if (range.bytes != 0) site.windows.back().written.push_back({range.offset, range.bytes});
      }
    }
    return site;
  }

  bool send_done(std::uint64_t sequence, const LaunchResult& result) {
    DoneReport report;
    report.status = result.status;
    report.splits = result.splits;
    report.seconds = result.seconds;
    report.state_left_zero = result.nonzero_state < 0;
    report.state_bad_offset = result.nonzero_state < 0 ? 0 : static_cast<std::uint64_t>(result.nonzero_state);
    report.tainted = result.threw;
    report.scratch = control_.scratch;
    report.state = control_.state;
    Packer packer;
    packer.put(report);
    packer.put_text(result.why);
    packer.put_text(result.compiled);
    return send_message(socket_.get(), MessageType::done, sequence, packer.bytes());
  }

  const WorkerSetup& setup_;
  UniqueFd socket_;
  WorkerMemory memory_;
  ControlPage& control_;
  WorkerWorkspaces workspaces_;
  ThreadWatch threads_;
  std::vector<WrittenRange> written_;  // of the case at hand
  const xqacheck_kernel* kernel_ = nullptr;
  Launcher* launcher_ = nullptr;
};

}  // namespace

int worker_main(const WorkerSetup& setup, UniqueFd socket, UniqueFd shared_memory) {
  prctl(PR_SET_NAME, "xqacheck-worker");
  socket = move_up(std::move(socket));
  // What a kernel prints must not be lost in a buffer when it crashes.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    // Never destroyed: a kernel's threads may still use the memory when the process ends.
    auto* worker = new Worker(setup, std::move(socket), std::move(shared_memory));
    return worker->work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xqacheck-worker: %s\n", error.what());
    return 3;
  }
}

}  // namespace xqacheck::properties::isolation
