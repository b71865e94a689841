// Device, buffers, and the choice of kernel.
#include <string.h>

#include "emulation/arith/probe/device_common.cuh"

namespace xqacheck {
namespace arith {
namespace probe {

const char* open_device(Device* device) {
  int count = 0;
  if (cudaError_t error = cudaGetDeviceCount(&count)) return cudaGetErrorString(error);
  if (count == 0) return "no CUDA device";
  cudaDeviceProp properties;
  if (cudaError_t error = cudaGetDeviceProperties(&properties, 0)) return cudaGetErrorString(error);
  strncpy(device->name, properties.name, sizeof device->name - 1);
  device->name[sizeof device->name - 1] = 0;
  device->major = properties.major;
  device->minor = properties.minor;
  cudaDriverGetVersion(&device->driver);
  cudaRuntimeGetVersion(&device->runtime);
  device->built_with = CUDART_VERSION;
  return nullptr;
}

const char* host_buffer(size_t bytes, uint32_t** buffer) {
  if (cudaError_t error = cudaMallocHost(buffer, bytes)) return cudaGetErrorString(error);
  return nullptr;
}

const char* device_buffer(size_t bytes, uint32_t** buffer) {
  static uint32_t* held = nullptr;
  static size_t size = 0;
  if (size < bytes) {
    cudaFree(held);
    size = 0;
    if (cudaError_t error = cudaMalloc(&held, bytes)) return cudaGetErrorString(error);
    size = bytes;
  }
  *buffer = held;
  return nullptr;
}

const char* fetch(const uint32_t* from, uint32_t* to, size_t bytes) {
  if (cudaError_t error = cudaGetLastError()) return cudaGetErrorString(error);
  if (cudaError_t error = cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost)) return cudaGetErrorString(error);
  return nullptr;
}

const char* run_matrix(const MatrixRun& run, uint32_t* out) {
  const bool is_wgmma = run.instruction >= kWgmmaF16;
  const size_t bytes = sizeof(uint32_t) * run.tiles * (is_wgmma ? 64 : 16) * static_cast<size_t>(run.n);
  uint32_t* device_out = nullptr;
  if (const char* error = device_buffer(bytes, &device_out)) return error;
  if (const char* error = is_wgmma ? run_wgmma(run, device_out) : run_mma(run, device_out)) return error;
  return fetch(device_out, out, bytes);
}

}  // namespace probe
}  // namespace arith
}  // namespace xqacheck
