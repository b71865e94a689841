// A device behind the launch seam with a clock of its own: buffers are host memory, launches only take time and are
// remembered. What perf reports can be computed by hand.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/seam.hpp"

namespace xqacheck::tests {

using namespace kernels::launch;

struct FakeFunction final : Function {
  explicit FakeFunction(std::string name_) : name(std::move(name_)) {}
  std::uint32_t registers() const override { return 32; }
  std::uint32_t local_bytes() const override { return 0; }
  std::string name;
};

struct FakeLaunch {
  std::string function;
  Address q = 0, k = 0;  // what it worked on: the first two arguments
  bool operator==(const FakeLaunch&) const = default;
};

class FakeDevice final : public Device {
 public:
  // Microseconds of the n-th launch of the device, counted from 0.
  std::function<double(const FakeLaunch&, std::size_t)> cost = [](const FakeLaunch&, std::size_t) { return 10.0; };
  double copy_bytes_per_microsecond = 2000;  // read and written
  bool capture_fails = false;
  std::uint64_t l2 = 1 << 20, memory = std::uint64_t{1} << 32;

  std::vector<FakeLaunch> launches;  // in the order in which they ran
  std::size_t replays = 0, allocated = 0;

  DeviceInfo info() const override {
    DeviceInfo info;
    info.name = "fake", info.arch = "sm_90a", info.sm_count = 4, info.memory_bytes = memory, info.l2_bytes = l2;
    info.driver_api = "0.0";
    return info;
  }
  bool lost() const override { return false; }

  struct HostMemory final : Buffer {
    explicit HostMemory(std::size_t bytes) : memory(bytes + 256) {}
    Address address() const override { return (reinterpret_cast<Address>(memory.data()) + 255) / 256 * 256; }
    std::size_t size() const override { return memory.size() - 256; }
    std::vector<std::byte> memory;
  };
  std::unique_ptr<Buffer> allocate(std::size_t bytes, std::size_t, Guard) override {
    ++allocated;
    return std::make_unique<HostMemory>(bytes);
  }
  static void* pointer(Address address) { return reinterpret_cast<void*>(address); }
  void upload(Address to, const void* from, std::size_t bytes, Stream*) override { std::memcpy(pointer(to), from, bytes); }
  void download(void* to, Address from, std::size_t bytes, Stream*) override { std::memcpy(to, pointer(from), bytes); }
  void fill(Address to, std::uint8_t byte, std::size_t bytes, Stream*) override { std::memset(pointer(to), byte, bytes); }
  void copy(Address to, Address from, std::size_t bytes, Stream*) override {
    std::memcpy(pointer(to), pointer(from), bytes);
    clock_ += 2.0 * static_cast<double>(bytes) / copy_bytes_per_microsecond;
  }

  std::unique_ptr<Module> load(std::span<const std::byte>) override { return std::make_unique<Module>(); }
  std::unique_ptr<Function> function(const Module&, const std::string& name, std::uint32_t) override {
    return std::make_unique<FakeFunction>(name);
  }
  TensorMap tensor_map(const TensorMapSpec&) override { return {}; }
  std::unique_ptr<Stream> stream() override { return std::make_unique<Stream>(); }
  void* native(Stream& stream) override { return &stream; }
  void synchronize(Stream&) override {}

  void launch(const LaunchSpec& spec, void*) override {
    FakeLaunch launch{static_cast<const FakeFunction&>(*spec.function).name};
    std::memcpy(&launch.q, spec.arguments[0].data(), sizeof launch.q);
    std::memcpy(&launch.k, spec.arguments[1].data(), sizeof launch.k);
    if (capturing_)
      captured_.push_back(launch);
    else
      play(launch);
  }

  struct FakeGraph final : Graph {
    std::vector<FakeLaunch> launches;
  };
  void begin_capture(Stream&) override { capturing_ = true; }
  std::unique_ptr<Graph> end_capture(Stream&) override {
    if (!capturing_ || capture_fails) throw DeviceError("cuStreamEndCapture: not capturing", 1);
    capturing_ = false;
    auto graph = std::make_unique<FakeGraph>();
    graph->launches.swap(captured_);
    return graph;
  }
  void replay(Graph& graph, Stream&) override {
    ++replays;
    for (const FakeLaunch& launch : static_cast<FakeGraph&>(graph).launches) play(launch);
  }

  struct FakeEvent final : Event {
    double when = 0;
  };
  std::unique_ptr<Event> event() override { return std::make_unique<FakeEvent>(); }
  void record(Event& event, Stream&) override { static_cast<FakeEvent&>(event).when = clock_; }
  double elapsed_milliseconds(Event& begin, Event& end) override {
    return (static_cast<FakeEvent&>(end).when - static_cast<FakeEvent&>(begin).when) / 1000;
  }

 private:
  void play(const FakeLaunch& launch) {
    clock_ += cost(launch, launches.size());
    launches.push_back(launch);
  }
  double clock_ = 0;  // microseconds
  bool capturing_ = false;
  std::vector<FakeLaunch> captured_;
};

}  // namespace xqacheck::tests
