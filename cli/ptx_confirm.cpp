// xqacheck ptx confirm: a recorded call of the public mma.sync kernel on a device, from its PTX, as it is and with a
// delay in it. A race that the PTX machine found is confirmed where the delay alone changes the output.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/ptx_command.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/front/text_file.hpp"
#include "emulation/ptx/replay/delay.hpp"
#include "emulation/ptx/replay/xqa_launch.hpp"
#include "emulation/recording/replay.hpp"
#include "kernels/launch/cuda_device.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {
namespace {

namespace launch = kernels::launch;

struct Options {
  std::string recording, ptx, device = "cuda";
  std::vector<std::string> delays;
  std::uint32_t runs = 100;
  int gpu = 0;
};

std::unique_ptr<launch::Device> open(const Options& options) {
  // What changes the output is asked here: a finding, which ends a run on the machine, is what led to the question.
  if (options.device == "ptx") return open_ptx_machine(false);
  std::string why;
  auto device = launch::open_cuda_device(options.gpu, why);
  if (device == nullptr) throw properties::EnvironmentError("ptx confirm needs a CUDA device: " + why);
  return device;
}

// The call with its tensors on a device, ready to be launched again and again.
class DeviceCall {
 public:
  DeviceCall(launch::Device& device, const emulation::Recording& recording)
      : device_(device), recording_(recording), geometry_(ptx::xqa_geometry(recording)), stream_(device.stream()) {
    at_.out = allocate(geometry_.out_bytes);
    at_.scratch = allocate(geometry_.scratch_bytes);
    at_.semaphores = allocate(geometry_.semaphore_bytes);
    ptx::place_inputs(recording, at_, [&](const char*, reference::TensorId id, std::uint64_t bytes) {
      const std::uint64_t at = allocate(bytes);
      if (at != 0) device_.upload(at, recording.problem.tensor(id).data(), bytes, stream_.get());
      return at;
    });
    parameters_ = ptx::xqa_parameters(recording, at_);
  }

  struct Outcome {
    std::uint32_t differing = 0;
    std::string first;
  };
  Outcome run(const ptx::Module& module, const std::string& text, std::uint32_t runs) {
    const auto loaded = device_.load(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
    const std::string name = ptx::xqa_kernel_name(module);
    const auto function = device_.function(*loaded, name, ptx::xqa_shared_bytes(module));
    launch::LaunchSpec spec;
    spec.function = function.get();
    spec.grid = {geometry_.grid.x, geometry_.grid.y, geometry_.grid.z};
    spec.block = {geometry_.block.x, geometry_.block.y, geometry_.block.z};
    spec.shared_bytes = ptx::xqa_shared_bytes(module);
    std::size_t at = 0;
    for (const ptx::Variable& parameter : module.find(name)->params) {
      at = (at + parameter.alignment() - 1) / parameter.alignment() * parameter.alignment();
      if (at + parameter.bytes() > parameters_.size())
        throw ptx::PtxError(
            module.file +
            ": the kernel takes more parameters than a call of this recording has: it was compiled with other options");
      spec.arguments.push_back(std::span(parameters_).subspan(at, parameter.bytes()));
      at += parameter.bytes();
    }
    Outcome outcome;
    for (std::uint32_t i = 0; i < runs; ++i) {
      reset();
      device_.launch(spec, device_.native(*stream_));
      std::vector<std::byte> out(geometry_.out_bytes);
      device_.download(out.data(), at_.out, out.size(), stream_.get());
      device_.synchronize(*stream_);
      const auto comparison =
          emulation::compare_outputs(recording_.problem.view(nullptr, nullptr), recording_.out.data(), out.data());
      if (comparison.equal() || outcome.differing++ != 0) continue;
      outcome.first = fmt::format("{} of {} elements", comparison.differing, comparison.elements);
      if (comparison.first)
        outcome.first += fmt::format(", the first in request {} row {} head {} dim {}: recorded 0x{:x}, here 0x{:x}",
                                     comparison.first->request, comparison.first->row, comparison.first->head,
                                     comparison.first->dim, comparison.first->recorded, comparison.first->emulated);
    }
    return outcome;
  }

 private:
  std::uint64_t allocate(std::uint64_t bytes) {
    if (bytes == 0) return 0;
    constexpr std::size_t kAlign = 256;  // as cudaMalloc
    buffers_.push_back(device_.allocate(bytes, kAlign, launch::Guard::none));
    return buffers_.back()->address();
  }
  void reset() {
    device_.fill(at_.out, 0xff, geometry_.out_bytes, stream_.get());  // NaN in every format
    if (at_.scratch != 0) device_.fill(at_.scratch, 0xff, geometry_.scratch_bytes, stream_.get());
    if (at_.semaphores != 0) device_.fill(at_.semaphores, 0, geometry_.semaphore_bytes, stream_.get());
  }

  launch::Device& device_;
  const emulation::Recording& recording_;
  ptx::XqaGeometry geometry_;
  std::unique_ptr<launch::Stream> stream_;
  std::vector<std::unique_ptr<launch::Buffer>> buffers_;
  ptx::XqaAddresses at_;
  std::vector<std::byte> parameters_;
};

void run(const Options& options) {
  const emulation::Recording recording = emulation::read_recording(options.recording);
  if (recording.kernel != "hmma")
    throw properties::UsageError(
        fmt::format("{}: a recording of kernel {}; one of hmma is needed", options.recording, recording.kernel));
  const std::string text = ptx::read_text_file(options.ptx);
  const ptx::Module module = ptx::parse(text, options.ptx);
  std::vector<ptx::Delay> delays;
  for (const std::string& given : options.delays) {
    std::string why;
    if (!ptx::parse_delay(given, delays.emplace_back(), why)) throw properties::UsageError("--delay " + why);
    ptx::with_delay(text, module, delays.back());  // a wrong line is told before the device is opened
  }
  const auto device = open(options);
  fmt::print("{}\n{}\n", launch::text_of(device->info()), recording.name);
  DeviceCall call(*device, recording);
  const auto plain = call.run(module, text, options.runs);
  fmt::print("{} of {} runs differ without a delay{}\n", plain.differing, options.runs,
             plain.first.empty() ? "" : ": " + plain.first);
  bool confirmed = plain.differing == 0;
  for (const ptx::Delay& delay : delays) {
    const auto held = call.run(module, ptx::with_delay(text, module, delay), options.runs);
    fmt::print("{} of {} runs differ with {}{}\n", held.differing, options.runs, to_text(delay),
               held.first.empty() ? "" : ": " + held.first);
    confirmed = confirmed && held.differing != 0;
  }
  fmt::print("{}\n", confirmed ? "confirmed: the delay alone changes the output" : "not confirmed");
  set_exit_code(confirmed ? 0 : 1);
}

}  // namespace

void add_ptx_confirm_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand(
      "confirm",
      "Run a recorded call from its PTX on a device, without and with a delay: does a race change the output?");
  command->add_option("recording", options->recording, "Recorded call of the public mma.sync kernel")
      ->required()
      ->type_name("FILE");
  command->add_option("--ptx", options->ptx, "Its PTX")->required()->check(CLI::ExistingFile)->type_name("FILE.ptx");
  command
      ->add_option("--delay", options->delays,
                   "nanosleep before the instruction in this line of the PTX, in these warps; may be given again, each "
                   "is tried by itself")
      ->required()
      ->allow_extra_args(false)
      ->type_name("LINE=NS[@WARP,...]");
  command->add_option("--runs", options->runs, "Launches without the delay, and as many with it (100)")
      ->check(CLI::Range(1u, 1000000u))
      ->type_name("N");
  command->add_option("--device", options->device, "Where: cuda, or ptx for the PTX machine (cuda)")
      ->check(CLI::IsMember({"cuda", "ptx"}));
  command->add_option("--gpu", options->gpu, "Number of the CUDA device (0)")->type_name("N");
  command->footer(
      "Exit code: 0 no run differs without a delay and some with each; 1 otherwise; 2 usage; 3 environment.");
  command->callback([options] { with_ptx_errors([&] { run(*options); }); });
}

}  // namespace xqacheck::cli
