#include "kernels/launch/cuda_device.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/launch/cuda_api.hpp"
#include "kernels/launch/cuda_memory.hpp"

namespace xqacheck::kernels::launch {
namespace {

struct CudaModule : Module {
  CudaModule(const CudaApi& cu, CUmodule handle) : cu_(cu), module(handle) {}
  ~CudaModule() override { cu_.cuModuleUnload(module); }
  const CudaApi& cu_;
  CUmodule module;
};

struct CudaFunction : Function {
  CUfunction function = nullptr;
  std::uint32_t registers_ = 0, local_bytes_ = 0;
  std::uint32_t registers() const override { return registers_; }
  std::uint32_t local_bytes() const override { return local_bytes_; }
};

struct CudaStream : Stream {
  CudaStream(const CudaApi& cu, CUstream handle) : cu_(cu), stream(handle) {}
  ~CudaStream() override { cu_.cuStreamDestroy(stream); }
  const CudaApi& cu_;
  CUstream stream;
};

struct CudaGraph : Graph {
  CudaGraph(const CudaApi& cu, CUgraphExec handle) : cu_(cu), exec(handle) {}
  ~CudaGraph() override { cu_.cuGraphExecDestroy(exec); }
  const CudaApi& cu_;
  CUgraphExec exec;
};

struct CudaEvent : Event {
  CudaEvent(const CudaApi& cu, CUevent handle) : cu_(cu), event(handle) {}
  ~CudaEvent() override { cu_.cuEventDestroy(event); }
  const CudaApi& cu_;
  CUevent event;
};

CUstream native_of(Stream* stream) {
  return stream == nullptr ? nullptr : static_cast<CudaStream&>(*stream).stream;
}

// "580.159.04" from the kernel module; empty in containers that hide it.
std::string kernel_module_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  std::getline(file, version);
  return version;
}

CUtensorMapDataType tensor_map_dtype(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case XQACHECK_BF16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case XQACHECK_FP32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

class CudaDevice : public Device {
 public:
  CudaDevice(const CudaApi& cu, int ordinal) : cu_(cu) {
    check(cu_.cuDeviceGet(&device_, ordinal), "cuDeviceGet");
    check(cu_.cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
    check(cu_.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  }
  ~CudaDevice() override { cu_.cuDevicePrimaryCtxRelease(device_); }

  DeviceInfo info() const override {
    DeviceInfo info;
    char name[256] = {};
    check(cu_.cuDeviceGetName(name, sizeof name, device_), "cuDeviceGetName");
    info.name = name;
    const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    const int minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    // From 9.0 on, the "a" target holds the instructions of this very architecture (wgmma, setmaxnreg).
    info.arch = fmt::format("sm_{}{}{}", major, minor, major >= 9 ? "a" : "");
    info.sm_count = static_cast<std::uint32_t>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    std::size_t memory = 0;
    check(cu_.cuDeviceTotalMem(&memory, device_), "cuDeviceTotalMem");
    info.memory_bytes = memory;
    info.l2_bytes = static_cast<std::uint64_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    int version = 0;
    check(cu_.cuDriverGetVersion(&version), "cuDriverGetVersion");
    info.driver_api = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    info.driver = kernel_module_version();
    return info;
  }
  bool lost() const override { return lost_; }

  std::unique_ptr<Buffer> allocate(std::size_t bytes, std::size_t align, Guard guard) override {
    return allocate_cuda_buffer(cu_, device_, bytes, align, guard);
  }
  void upload(Address to, const void* from, std::size_t bytes, Stream* stream) override {
    if (bytes != 0) check(cu_.cuMemcpyHtoDAsync(to, from, bytes, native_of(stream)), "cuMemcpyHtoDAsync");
  }
  void download(void* to, Address from, std::size_t bytes, Stream* stream) override {
    if (bytes != 0) check(cu_.cuMemcpyDtoHAsync(to, from, bytes, native_of(stream)), "cuMemcpyDtoHAsync");
  }
  void copy(Address to, Address from, std::size_t bytes, Stream* stream) override {
    if (bytes != 0) check(cu_.cuMemcpyDtoDAsync(to, from, bytes, native_of(stream)), "cuMemcpyDtoDAsync");
  }
  void fill(Address to, std::uint8_t byte, std::size_t bytes, Stream* stream) override {
    if (bytes != 0) check(cu_.cuMemsetD8Async(to, byte, bytes, native_of(stream)), "cuMemsetD8Async");
  }

  std::unique_ptr<Module> load(std::span<const std::byte> image) override {
    char log[8192] = {};
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CUmodule module = nullptr;
    const CUresult result = cu_.cuModuleLoadDataEx(&module, image.data(), 2, options, values);
    if (result != CUDA_SUCCESS)
      throw DeviceError(fmt::format("cuModuleLoadDataEx: {}{}{}", text(result), *log ? "\n" : "", log), result);
    return std::make_unique<CudaModule>(cu_, module);
  }

  std::unique_ptr<Function> function(const Module& module, const std::string& name,
                                     std::uint32_t max_shared_bytes) override {
    auto result = std::make_unique<CudaFunction>();
    check(cu_.cuModuleGetFunction(&result->function, static_cast<const CudaModule&>(module).module, name.c_str()),
          "cuModuleGetFunction");
    constexpr std::uint32_t kDefaultShared = 48u << 10;  // more dynamic shared memory must be asked for
    if (max_shared_bytes > kDefaultShared)
      check(cu_.cuFuncSetAttribute(result->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(max_shared_bytes)),
            "cuFuncSetAttribute");
    int value = 0;
    check(cu_.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, result->function), "cuFuncGetAttribute");
    result->registers_ = static_cast<std::uint32_t>(value);
    check(cu_.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, result->function), "cuFuncGetAttribute");
    result->local_bytes_ = static_cast<std::uint32_t>(value);
    return result;
  }

  TensorMap tensor_map(const TensorMapSpec& spec) override {
    TensorMap map;
    const std::vector<cuuint32_t> ones(spec.sizes.size(), 1);
    const std::vector<cuuint64_t> sizes(spec.sizes.begin(), spec.sizes.end()),
        strides(spec.strides.begin(), spec.strides.end());
    const auto swizzle = spec.swizzle_bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                         : spec.swizzle_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                         : spec.swizzle_bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                    : CU_TENSOR_MAP_SWIZZLE_NONE;
    check(cu_.cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap*>(&map), tensor_map_dtype(spec.dtype),
                                     static_cast<cuuint32_t>(sizes.size()), reinterpret_cast<void*>(spec.base),
                                     sizes.data(), strides.data(), spec.box.data(), ones.data(),
                                     CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
    return map;
  }

  std::unique_ptr<Stream> stream() override {
    CUstream stream = nullptr;
    check(cu_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    return std::make_unique<CudaStream>(cu_, stream);
  }
  void* native(Stream& stream) override { return native_of(&stream); }

  void launch(const LaunchSpec& spec, void* native_stream) override {
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config{};
    config.gridDimX = spec.grid.x, config.gridDimY = spec.grid.y, config.gridDimZ = spec.grid.z;
    config.blockDimX = spec.block.x, config.blockDimY = spec.block.y, config.blockDimZ = spec.block.z;
    config.sharedMemBytes = spec.shared_bytes;
    config.hStream = static_cast<CUstream>(native_stream);
    config.attrs = attributes;
    if (spec.programmatic_dependent) {
      attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      attributes[config.numAttrs++].value.programmaticStreamSerializationAllowed = 1;
    }
    if (spec.cluster.x != 0) {
      attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attributes[config.numAttrs++].value.clusterDim = {spec.cluster.x, spec.cluster.y, spec.cluster.z};
    }
    std::vector<void*> arguments;
    for (const auto& argument : spec.arguments) arguments.push_back(const_cast<std::byte*>(argument.data()));
    check(cu_.cuLaunchKernelEx(&config, static_cast<const CudaFunction&>(*spec.function).function, arguments.data(),
                               nullptr),
          "cuLaunchKernelEx");
  }
  void synchronize(Stream& stream) override {
    check(cu_.cuStreamSynchronize(native_of(&stream)), "cuStreamSynchronize");
  }

  void begin_capture(Stream& stream) override {
    check(cu_.cuStreamBeginCapture(native_of(&stream), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
  }
  std::unique_ptr<Graph> end_capture(Stream& stream) override {
    CUgraph graph = nullptr;
    check(cu_.cuStreamEndCapture(native_of(&stream), &graph), "cuStreamEndCapture");
    CUgraphExec exec = nullptr;
    const CUresult result = cu_.cuGraphInstantiateWithFlags(&exec, graph, 0);
    cu_.cuGraphDestroy(graph);
    check(result, "cuGraphInstantiateWithFlags");
    return std::make_unique<CudaGraph>(cu_, exec);
  }
  void replay(Graph& graph, Stream& stream) override {
    check(cu_.cuGraphLaunch(static_cast<CudaGraph&>(graph).exec, native_of(&stream)), "cuGraphLaunch");
  }

  std::unique_ptr<Event> event() override {
    CUevent event = nullptr;
    check(cu_.cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return std::make_unique<CudaEvent>(cu_, event);
  }
  void record(Event& event, Stream& stream) override {
    check(cu_.cuEventRecord(static_cast<CudaEvent&>(event).event, native_of(&stream)), "cuEventRecord");
  }
  double elapsed_milliseconds(Event& begin, Event& end) override {
    check(cu_.cuEventSynchronize(static_cast<CudaEvent&>(end).event), "cuEventSynchronize");
    float milliseconds = 0;
    check(
        cu_.cuEventElapsedTime(&milliseconds, static_cast<CudaEvent&>(begin).event, static_cast<CudaEvent&>(end).event),
        "cuEventElapsedTime");
    return milliseconds;
  }

 private:
  std::string text(CUresult result) const {
    const char* name = nullptr;
    const char* meaning = nullptr;
    cu_.cuGetErrorName(result, &name);
    cu_.cuGetErrorString(result, &meaning);
    return fmt::format("{} ({})", name != nullptr ? name : "unknown error", meaning != nullptr ? meaning : "?");
  }
  void check(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) return;
    // These leave the context unusable until the process ends.
    lost_ = lost_ || result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_LAUNCH_FAILED ||
            result == CUDA_ERROR_MISALIGNED_ADDRESS || result == CUDA_ERROR_ILLEGAL_INSTRUCTION ||
            result == CUDA_ERROR_HARDWARE_STACK_ERROR || result == CUDA_ERROR_LAUNCH_TIMEOUT ||
            result == CUDA_ERROR_ASSERT || result == CUDA_ERROR_INVALID_ADDRESS_SPACE ||
            result == CUDA_ERROR_INVALID_PC;
    throw DeviceError(fmt::format("{}: {}", call, text(result)), result);
  }
  int attribute(CUdevice_attribute which) const {
    int value = 0;
    check(cu_.cuDeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
    return value;
  }

  const CudaApi& cu_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  mutable bool lost_ = false;
};

}  // namespace

std::unique_ptr<Device> open_cuda_device(int ordinal, std::string& why) {
  const CudaApi* cu = cuda_api(why);
  if (cu == nullptr) return nullptr;
  if (const CUresult result = cu->cuInit(0); result != CUDA_SUCCESS) {
    why = fmt::format("cuInit fails with {}: no usable GPU", static_cast<int>(result));
    return nullptr;
  }
  int count = 0;
  cu->cuDeviceGetCount(&count);
  if (ordinal < 0 || ordinal >= count) {
    why = fmt::format("GPU {} does not exist: the driver sees {}", ordinal, count);
    return nullptr;
  }
  try {
    return std::make_unique<CudaDevice>(*cu, ordinal);
  } catch (const DeviceError& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace xqacheck::kernels::launch
