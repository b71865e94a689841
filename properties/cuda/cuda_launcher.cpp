#include "properties/cuda/cuda_launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "kernels/jit/compile.hpp"
#include "kernels/launch/cuda_device.hpp"
#include "properties/cuda/helper_kernels.hpp"
#include "properties/cuda/mirror.hpp"
#include "properties/cuda/workspaces.hpp"
#include "properties/ptx/ptx_device.hpp"

namespace xqacheck::properties::cuda {
namespace {

using isolation::ControlPage;
using isolation::LaunchResult;
using isolation::LaunchSite;
using kernels::launch::Device;
using kernels::launch::DeviceError;
using kernels::launch::Stream;

// One launch: the mirrored problem and what surrounds run() on the stream.
class DeviceRun {
 public:
  DeviceRun(Device& device, HelperKernels* helpers, Stream& stream, const xqacheck_problem& problem,
            const LaunchSite& site)
      : device_(device), helpers_(helpers), stream_(stream), site_(site), mirror_(device, problem, site) {
    for (auto& mirrored : mirror_.windows()) mirrored.upload(stream_, is_producer() && is_produced(mirrored.window()));
    if (is_producer()) stage_inputs();
    device_.synchronize(stream_);
  }

  const xqacheck_problem& problem() {
    problem_ = mirror_.problem();
    if (site_.launching == Launching::pdl_producer) problem_.pdl = 1;
    return problem_;
  }

  std::string before() {
    return guarded([&] {
      if (site_.launching == Launching::load) helpers_->start_load();
      if (is_producer()) produce_inputs();
      if (site_.launching == Launching::graph) {
        shorten_lengths();
        device_.begin_capture(stream_);
      }
    });
  }

  std::string wait() {
    return guarded([&] {
      if (site_.launching == Launching::graph) {
        const auto graph = device_.end_capture(stream_);
        device_.replay(*graph, stream_);  // on the short lengths: its output is overwritten
        device_.synchronize(stream_);
        mirror_.find("seq_lens")->upload(stream_);
        device_.replay(*graph, stream_);
        device_.synchronize(stream_);
      }
      device_.synchronize(stream_);
      if (site_.launching == Launching::load) helpers_->end_load();
    });
  }

  // After the last run: outputs back to the host, inputs compared. "" or what an input lost.
  std::string bring_back() {
    std::string changed;
    for (auto& window : mirror_.windows()) {
      if (window.window().writable)
        window.download(stream_);
      else if (changed.empty() && window.copied_bytes() <= kCompareBytes)
        changed = window.changed(stream_);
    }
    device_.synchronize(stream_);
    return changed;
  }

 private:
  static constexpr std::size_t kCompareBytes = std::size_t{64} << 20;  // larger inputs are protected by guards only

  template <class Work>
  std::string guarded(Work work) {
    try {
      work();
      return "";
    } catch (const DeviceError& error) {
      return error.what();
    }
  }

  bool is_producer() const {
    return site_.launching == Launching::producer || site_.launching == Launching::pdl_producer;
  }

  // Tensors of numbers are what the producer writes. Indices stay as they are: a kernel that does not wait must give a
  // wrong answer, not a fault somewhere else.
  static bool is_produced(const isolation::Window& window) {
    return !window.writable &&
           (window.name == "q" || window.name == "k" || window.name == "v" || window.name == "sinks");
  }

  // Their true contents wait in staging buffers; the tensors hold 0xff until the producer has run.
  void stage_inputs() {
    for (auto& mirrored : mirror_.windows()) {
      const auto& window = mirrored.window();
      if (!is_produced(window)) continue;
      staged_.push_back(
          {mirrored.data(), device_.allocate(window.bytes, 16, kernels::launch::Guard::none), window.bytes});
      device_.upload(staged_.back().staging->address(), window.data(), window.bytes, &stream_);
      device_.fill(mirrored.data(), 0xff, window.bytes, &stream_);
    }
  }

  // All but the last by plain copies; the last one is what the kernel under test follows immediately.
  void produce_inputs() {
    for (const Staged& each : staged_)
      helpers_->produce(each.to, each.staging->address(), each.bytes,
                        &each == &staged_.back() && site_.launching == Launching::pdl_producer, stream_);
  }

  // Every request as short as its draft rows allow: what the captured launch would use if it read lengths on the host.
  void shorten_lengths() {
    auto* window = mirror_.find("seq_lens");
    const auto rows = mirror_.problem().mask_kind == XQACHECK_MASK_NONE ? 1u : mirror_.problem().max_rows;
    std::vector<std::uint32_t> lengths(mirror_.problem().requests);
    std::memcpy(lengths.data(), window->window().data(), lengths.size() * sizeof(std::uint32_t));
    for (auto& length : lengths) length = std::min(length, rows);
    device_.upload(window->data(), lengths.data(), lengths.size() * sizeof(std::uint32_t), &stream_);
    device_.synchronize(stream_);
  }

  Device& device_;
  HelperKernels* helpers_;  // null when run() is not surrounded by anything
  Stream& stream_;
  const LaunchSite& site_;
  Mirror mirror_;
  xqacheck_problem problem_{};
  struct Staged {
    kernels::launch::Address to;
    std::unique_ptr<kernels::launch::Buffer> staging;
    std::uint64_t bytes;
  };
  std::vector<Staged> staged_;  // tensors that the producer writes
};

class CudaLauncher final : public isolation::Launcher {
 public:
  std::string device() override {
    if (!open()) return "none: " + why_;
    const auto info = device_->info();
    return kernels::launch::text_of(info) + toolkit();
  }

  LaunchResult launch(const xqacheck_kernel& kernel, const xqacheck_problem& problem, const LaunchSite& site,
                      isolation::Workspaces& workspaces, char* why, ControlPage& progress) override {
    LaunchResult result;
    if (!open()) {
      result.status = RunStatus::error;
      result.why = why_;
      return result;
    }
    try {
      result = launch_on_device(kernel, problem, site, workspaces, why, progress);
    } catch (const DeviceError& error) {
      result.status = device_->lost() ? RunStatus::crashed : RunStatus::error;
      result.why = error.what();
    }
    // CUDA's errors stick to the process: whatever it was, no later case may pay for it.
    if (device_->lost()) result.status = RunStatus::crashed, result.threw = true;
    return result;
  }

 private:
  // Plug-ins bring their own code: a missing run-time compiler is no fault.
  static std::string toolkit() {
    try {
      return ", " + kernels::jit::compiler_version();
    } catch (const kernels::jit::CompilerMissing&) {
      return ", no run-time compiler";
    }
  }

  bool open() {
    if (device_ != nullptr) return true;
    device_ = open_device();
    if (device_ == nullptr) return false;
    kernels::launch::set_active_device(device_.get());
    stream_ = device_->stream();
    return true;
  }

  // XQACHECK_DEVICE=ptx, which `--device ptx` sets for the workers: the PTX machine in place of a GPU.
  std::unique_ptr<Device> open_device() {
    const char* device = std::getenv("XQACHECK_DEVICE");
    if (device == nullptr || std::strcmp(device, "ptx") != 0) return kernels::launch::open_cuda_device(0, why_);
    try {
      return ptx::open_ptx_device(ptx::ptx_options_of_environment());
    } catch (const std::invalid_argument& error) {
      why_ = error.what();
      return nullptr;
    }
  }

  LaunchResult launch_on_device(const xqacheck_kernel& kernel, const xqacheck_problem& problem, const LaunchSite& site,
                                isolation::Workspaces& workspaces, char* why, ControlPage& progress) {
    if (helpers_ == nullptr && site.launching != Launching::plain) helpers_ = std::make_unique<HelperKernels>(*device_);
    device_->set_schedule(site.schedule);
    DeviceRun run(*device_, helpers_.get(), *stream_, problem, site);
    DeviceWorkspaces device_workspaces(*device_, *stream_, workspaces, progress, site.place);
    isolation::LaunchSteps steps;
    steps.stream = device_->native(*stream_);
    steps.context = &run;
    steps.before = [](void* context) { return static_cast<DeviceRun*>(context)->before(); };
    steps.wait = [](void* context) { return static_cast<DeviceRun*>(context)->wait(); };
    LaunchResult result =
        isolation::launch_steps(kernel, run.problem(), site.runs, device_workspaces, why, progress, steps);
    if (result.status != RunStatus::ok || device_->lost()) {
      if (!device_->lost()) stream_ = device_->stream();  // the old one may be left in the middle of a capture
      return result;
    }
    device_workspaces.bring_back();
    if (const std::string changed = run.bring_back(); !changed.empty()) {
      result.status = RunStatus::crashed;
      result.why = "the kernel " + changed;
    }
    return result;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<HelperKernels> helpers_;
  std::string why_;
};

}  // namespace

std::unique_ptr<isolation::Launcher> make_cuda_launcher() {
  return std::make_unique<CudaLauncher>();
}

}  // namespace xqacheck::properties::cuda
