// The launch seam: the one interface through which every kernel on device memory is loaded and launched. Two things can
// stand behind it: the CUDA driver (kernels/launch/cuda_device.hpp) and a PTX machine on the CPU. Nothing above it
// names CUDA.
//
// Errors: every call throws DeviceError; after a fault the device is lost for the process (CUDA's sticky errors) and
// `lost()` is true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace xqacheck::kernels::launch {

using Address = std::uint64_t;  // device address; 0 is null

class DeviceError : public std::runtime_error {
 public:
  DeviceError(const std::string& what, int code) : std::runtime_error(what), code_(code) {}
  int code() const { return code_; }  // CUresult of the call that failed, or -1

 private:
  int code_;
};

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  std::string arch;  // "sm_90a": what to compile for
  std::uint32_t sm_count = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;  // level 2 cache; 0: unknown
  std::string driver;          // "580.159.04" where known
  std::string driver_api;      // "13.0"
};

// "NVIDIA H200 (sm_90a, 132 SMs, driver 580.159.04, CUDA 13.0)", for reports and recordings.
std::string text_of(const DeviceInfo& info);

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

// One tiled tensor map (TMA descriptor), sizes innermost first as cuTensorMapEncodeTiled takes them.
struct TensorMapSpec {
  std::uint32_t dtype = 0;  // xqacheck_dtype
  Address base = 0;
  std::vector<std::uint64_t> sizes;    // elements
  std::vector<std::uint64_t> strides;  // bytes, of dimensions 1 …
  std::vector<std::uint32_t> box;      // elements
  std::uint32_t swizzle_bytes = 0;     // 0, 32, 64, 128
};
struct alignas(64) TensorMap {
  std::byte bytes[128];
};

class Module {
 public:
  virtual ~Module() = default;
};
class Function {
 public:
  virtual ~Function() = default;
  virtual std::uint32_t registers() const = 0;    // per thread
  virtual std::uint32_t local_bytes() const = 0;  // per thread: spills and stack
};
class Stream {
 public:
  virtual ~Stream() = default;
};
class Graph {
 public:
  virtual ~Graph() = default;
};
class Event {
 public:
  virtual ~Event() = default;
};

struct LaunchSpec {
  const Function* function = nullptr;
  Dim3 grid, block;
  Dim3 cluster{0, 0, 0};                // x == 0: no cluster
  std::uint32_t shared_bytes = 0;       // dynamic shared memory
  bool programmatic_dependent = false;  // may start while the preceding kernel of the stream still runs (PDL)
  std::vector<std::span<const std::byte>> arguments;  // kernel parameters in order, by value
};

template <class T>
std::span<const std::byte> argument(const T& value) {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}

// Where a buffer lies in its mapping; guarded buffers have unmapped memory on both sides of the mapping.
enum class Guard : std::uint8_t { none, at_end, at_begin };

class Buffer {  // device memory; freed by the destructor
 public:
  virtual ~Buffer() = default;
  virtual Address address() const = 0;
  virtual std::size_t size() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  virtual bool lost() const = 0;
  // Which legal order of warps, CTAs and copies the launches from now on take: 0 the device's own. A GPU cannot choose.
  virtual void set_schedule(std::uint32_t) {}

  // `align` is what the caller promises to the kernel: with at_end the buffer ends as near to the unmapped page as it
  // allows.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, std::size_t align, Guard guard) = 0;
  // What a buffer is for, for devices that check accesses: kernels may touch `bytes` from `begin` on and nothing else
  // of the buffer that begins at `buffer`. `input`: they may only read it. What it holds means nothing until it is
  // written again: call it before an upload, and after the upload of contents that no kernel may depend on.
  virtual void describe(Address buffer, Address begin, std::size_t bytes, const std::string& name, bool input) {
    (void)buffer, (void)begin, (void)bytes, (void)name, (void)input;
  }
  virtual void upload(Address to, const void* from, std::size_t bytes, Stream* stream) = 0;
  virtual void download(void* to, Address from, std::size_t bytes, Stream* stream) = 0;
  // Within the device. The default goes through the host: right on every device, fast on none.
  virtual void copy(Address to, Address from, std::size_t bytes, Stream* stream);
  virtual void fill(Address to, std::uint8_t byte, std::size_t bytes, Stream* stream) = 0;

  virtual std::unique_ptr<Module> load(std::span<const std::byte> image) = 0;  // cubin or PTX
  virtual std::unique_ptr<Function> function(const Module& module, const std::string& name,
                                             std::uint32_t max_shared_bytes) = 0;
  virtual TensorMap tensor_map(const TensorMapSpec& spec) = 0;

  virtual std::unique_ptr<Stream> stream() = 0;
  virtual void* native(Stream& stream) = 0;  // what xqacheck_launch::stream carries
  virtual void launch(const LaunchSpec& spec, void* native_stream) = 0;
  virtual void synchronize(Stream& stream) = 0;  // throws what the work before it did wrong

  virtual void begin_capture(Stream& stream) = 0;
  virtual std::unique_ptr<Graph> end_capture(Stream& stream) = 0;
  virtual void replay(Graph& graph, Stream& stream) = 0;

  virtual std::unique_ptr<Event> event() = 0;
  virtual void record(Event& event, Stream& stream) = 0;
  virtual double elapsed_milliseconds(Event& begin, Event& end) = 0;
};

// The device that built-in device kernels of this process use: set once by whoever owns the process (a GPU worker, a
// test). Null until then.
Device* active_device();
void set_active_device(Device* device);

}  // namespace xqacheck::kernels::launch
