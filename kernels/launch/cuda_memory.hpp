// Device buffers: plain ones, and guarded ones that touch unmapped addresses (CUDA virtual memory management), so that
// one byte too far is a fault at full speed, for TMA and cp.async too. Measured cost about 0.07 ms a buffer.
#pragma once

#include <memory>

#include "kernels/launch/cuda_api.hpp"
#include "kernels/launch/seam.hpp"

namespace xqacheck::kernels::launch {

std::unique_ptr<Buffer> allocate_cuda_buffer(const CudaApi& cu, CUdevice device, std::size_t bytes, std::size_t align,
                                             Guard guard);

}  // namespace xqacheck::kernels::launch
