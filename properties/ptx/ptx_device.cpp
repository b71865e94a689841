#include "properties/ptx/ptx_device.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/machine/loaded_module.hpp"

namespace xqacheck::properties::ptx {
namespace {

using namespace kernels::launch;  // NOLINT: this file implements that interface
namespace machine = xqacheck::ptx;

// cuda.h: CUDA_ERROR_LAUNCH_FAILED; the code of a kernel that faulted.
constexpr int kLaunchFailed = 719;
// More is a typing error: each CTA of a batch of eight has one at most.
constexpr std::uint32_t kMostThreads = 256;

struct PtxModule : kernels::launch::Module {
  PtxModule(machine::Machine& at, machine::Module text) : loaded(at, std::move(text)) {}
  machine::LoadedModule loaded;
};

struct PtxFunction : Function {
  std::shared_ptr<const machine::Program> program;
  std::uint32_t registers() const override { return program->registers; }
  std::uint32_t local_bytes() const override { return program->local_bytes; }
};

struct PtxGraph : Graph {
  std::vector<machine::Launch> launches;
};

struct PtxStream : Stream {
  std::vector<machine::Launch> waiting;
  std::unique_ptr<PtxGraph> captured;  // while launches are recorded
};

struct PtxEvent : Event {
  std::chrono::steady_clock::time_point at;
};

machine::Extent extent(const Dim3& size) {
  return {size.x, size.y, size.z};
}

class PtxDevice : public Device {
 public:
  explicit PtxDevice(const PtxDeviceOptions& options) : options_(options) {
    if (options.checks) machine_.set_monitor(&checker_);
    follow(options.schedule);
  }

  DeviceInfo info() const override {
    DeviceInfo info;
    info.name = fmt::format("PTX machine, schedule {}{}", machine::to_text(options_.schedule),
                            options_.checks ? "" : ", no checks");
    info.arch = "compute_90a";  // a virtual architecture: compilers hand over PTX
    info.sm_count = machine_.options().multiprocessors;
    info.memory_bytes = std::uint64_t{1} << 37;
    info.driver = "none";
    info.driver_api = "13.0";
    return info;
  }
  void set_schedule(std::uint32_t number) override {
    follow(number == 0 ? options_.schedule : machine::standard_schedules(number).back());
  }
  void describe(Address buffer, Address begin, std::size_t bytes, const std::string& name, bool input) override {
    if (options_.checks) checker_.narrow(buffer, {name, begin, bytes, input, false});
  }
  bool lost() const override { return lost_; }

  // Freed when the device is gone: no kernel of a stream may be waiting for it.
  class PtxBuffer : public Buffer {
   public:
    PtxBuffer(PtxDevice& device, Address address, std::size_t size) : device_(device), address_(address), size_(size) {}
    ~PtxBuffer() override {
      if (device_.options_.checks) device_.checker_.freed(address_);
      device_.machine_.memory().free(address_);
    }
    Address address() const override { return address_; }
    std::size_t size() const override { return size_; }

   private:
    PtxDevice& device_;
    Address address_;
    std::size_t size_;
  };

  std::unique_ptr<Buffer> allocate(std::size_t bytes, std::size_t align, Guard guard) override {
    const std::string name = fmt::format("buffer {}", ++buffers_);
    const Address at = machine_.memory().allocate(bytes, std::max<std::size_t>(align, 1), name, guard == Guard::at_end);
    if (options_.checks) checker_.allocated({name, at, bytes, false, false});
    return std::make_unique<PtxBuffer>(*this, at, bytes);
  }

  void upload(Address to, const void* from, std::size_t bytes, Stream* stream) override {
    if (bytes == 0) return;
    run(stream);
    std::memcpy(host_memory(to, bytes, "upload"), from, bytes);
    if (options_.checks) checker_.host_wrote(to, bytes);
  }
  void download(void* to, Address from, std::size_t bytes, Stream* stream) override {
    if (bytes == 0) return;
    run(stream);
    std::memcpy(to, host_memory(from, bytes, "download"), bytes);
  }
  void fill(Address to, std::uint8_t byte, std::size_t bytes, Stream* stream) override {
    if (bytes == 0) return;
    run(stream);
    if (byte != 0 || !machine_.memory().zero(to, bytes)) std::memset(host_memory(to, bytes, "fill"), byte, bytes);
    if (options_.checks) checker_.host_wrote(to, bytes);
  }

  std::unique_ptr<kernels::launch::Module> load(std::span<const std::byte> image) override {
    const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
    if (text.starts_with("\x7f"
                         "ELF"))
      throw DeviceError("the PTX machine runs PTX, not machine code: compile for compute_90a", -1);
    try {
      return std::make_unique<PtxModule>(machine_, machine::parse(text, fmt::format("module{}.ptx", ++modules_)));
    } catch (const machine::PtxError& error) {
      throw DeviceError(error.what(), -1);
    }
  }
  std::unique_ptr<Function> function(const kernels::launch::Module& module, const std::string& name,
                                     std::uint32_t) override {
    try {
      auto result = std::make_unique<PtxFunction>();
      // The seam's modules are const to callers; decoding a kernel on demand is a cache.
      auto& loaded = const_cast<PtxModule&>(static_cast<const PtxModule&>(module)).loaded;
      result->program = loaded.kernel(name);
      return result;
    } catch (const machine::PtxError& error) {
      throw DeviceError(error.what(), -1);
    }
  }
  TensorMap tensor_map(const TensorMapSpec&) override {
    throw DeviceError("the PTX machine has no tensor maps yet: kernels that use TMA do not run on it", -1);
  }

  std::unique_ptr<Stream> stream() override { return std::make_unique<PtxStream>(); }
  void* native(Stream& stream) override { return &stream; }

  void launch(const LaunchSpec& spec, void* native_stream) override {
    need_alive();
    if (spec.cluster.x > 1 || spec.cluster.y > 1 || spec.cluster.z > 1)
      throw DeviceError("the PTX machine has no clusters yet", -1);
    machine::Launch launch;
    launch.program = static_cast<const PtxFunction&>(*spec.function).program;
    launch.grid = extent(spec.grid), launch.block = extent(spec.block);
    launch.dynamic_shared = spec.shared_bytes;
    launch.programmatic_dependent = spec.programmatic_dependent;
    const auto& places = launch.program->parameters;
    if (spec.arguments.size() != places.size())
      throw DeviceError(fmt::format("kernel {} takes {} arguments, {} are given", launch.program->name, places.size(),
                                    spec.arguments.size()),
                        -1);
    launch.parameters.resize(launch.program->parameter_bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (spec.arguments[i].size() != places[i].bytes)
        throw DeviceError(fmt::format("argument {} of kernel {} has {} bytes, {} are given", i, launch.program->name,
                                      places[i].bytes, spec.arguments[i].size()),
                          -1);
      std::memcpy(launch.parameters.data() + places[i].offset, spec.arguments[i].data(), places[i].bytes);
    }
    auto& stream =
        native_stream == nullptr ? default_stream_ : *static_cast<PtxStream*>(static_cast<Stream*>(native_stream));
    (stream.captured != nullptr ? stream.captured->launches : stream.waiting).push_back(std::move(launch));
  }
  void synchronize(Stream& stream) override { run(&stream); }

  void begin_capture(Stream& stream) override {
    run(&stream);
    static_cast<PtxStream&>(stream).captured = std::make_unique<PtxGraph>();
  }
  std::unique_ptr<Graph> end_capture(Stream& stream) override {
    auto& captured = static_cast<PtxStream&>(stream).captured;
    if (captured == nullptr) throw DeviceError("end_capture without begin_capture", -1);
    return std::move(captured);
  }
  void replay(Graph& graph, Stream& stream) override {
    auto& waiting = static_cast<PtxStream&>(stream).waiting;
    const auto& launches = static_cast<PtxGraph&>(graph).launches;
    waiting.insert(waiting.end(), launches.begin(), launches.end());
  }

  std::unique_ptr<Event> event() override { return std::make_unique<PtxEvent>(); }
  void record(Event& event, Stream& stream) override {
    run(&stream);
    static_cast<PtxEvent&>(event).at = std::chrono::steady_clock::now();
  }
  double elapsed_milliseconds(Event& begin, Event& end) override {
    return std::chrono::duration<double, std::milli>(static_cast<PtxEvent&>(end).at - static_cast<PtxEvent&>(begin).at)
        .count();
  }

 private:
  void follow(const machine::ScheduleSpec& spec) {
    schedule_ = machine::make_schedule(spec);
    machine_.set_schedule(schedule_.get());
    machine_.set_threads(options_.checks || spec.kind != machine::ScheduleKind::in_order ? 0 : options_.threads);
  }

  void need_alive() const {
    if (lost_) throw DeviceError("the PTX machine has stopped after a fault", kLaunchFailed);
  }

  std::byte* host_memory(Address address, std::size_t bytes, const char* what) {
    std::byte* at = machine_.memory().at(address, bytes);
    if (at == nullptr)
      throw DeviceError(
          fmt::format("{} of {} bytes at 0x{:x}: {}", what, bytes, address, machine_.memory().describe(address)), 1);
    return at;
  }

  // Everything that waits, on every stream: they would run by now.
  void run(Stream* stream) {
    need_alive();
    run_one(default_stream_);
    if (stream != nullptr) run_one(static_cast<PtxStream&>(*stream));
  }

  void run_one(PtxStream& stream) {
    if (stream.waiting.empty()) return;
    auto launches = std::exchange(stream.waiting, {});
    std::string fault;
    try {
      machine_.run(std::move(launches));
    } catch (const machine::MachineFault& error) {
      fault = error.what();
    }
    std::string text;
    for (const auto& finding : checker_.findings()) text += (text.empty() ? "" : "\n") + machine::to_text(finding);
    if (text.empty()) text = fault;
    if (text.empty()) return;
    lost_ = true;
    throw DeviceError(text, kLaunchFailed);
  }

  PtxDeviceOptions options_;
  machine::Checker checker_;
  machine::Machine machine_;
  std::unique_ptr<machine::Schedule> schedule_;
  PtxStream default_stream_;
  bool lost_ = false;
  std::uint64_t buffers_ = 0, modules_ = 0;
};

}  // namespace

PtxDeviceOptions ptx_options_of_environment(bool checks) {
  PtxDeviceOptions options;
  options.checks = checks;
  if (const char* text = std::getenv("XQACHECK_PTX_SCHEDULE"); text != nullptr && *text != '\0') {
    std::string why;
    if (!machine::parse_schedule(text, options.schedule, why))
      throw std::invalid_argument(fmt::format("XQACHECK_PTX_SCHEDULE={}: {}", text, why));
  }
  if (const char* text = std::getenv("XQACHECK_PTX_CHECKS"); text != nullptr && *text != '\0') {
    options.checks = std::strcmp(text, "off") != 0;
    if (options.checks && std::strcmp(text, "on") != 0)
      throw std::invalid_argument(fmt::format("XQACHECK_PTX_CHECKS={}: needs on or off", text));
  }
  if (const char* text = std::getenv("XQACHECK_PTX_THREADS"); text != nullptr && *text != '\0') {
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, options.threads);
    if (error != std::errc{} || stop != end || options.threads < 1 || options.threads > kMostThreads)
      throw std::invalid_argument(
          fmt::format("XQACHECK_PTX_THREADS={}: needs a number from 1 to {}", text, kMostThreads));
  }
  return options;
}

std::unique_ptr<Device> open_ptx_device(const PtxDeviceOptions& options) {
  return std::make_unique<PtxDevice>(options);
}

}  // namespace xqacheck::properties::ptx
