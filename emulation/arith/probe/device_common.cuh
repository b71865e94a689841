// Shared by the probe's CUDA files.
#pragma once

#include <cuda_runtime.h>

#include "emulation/arith/probe/device.h"
#include "emulation/arith/probe/draw.h"

namespace xqacheck {
namespace arith {
namespace probe {

// A device buffer of at least `bytes`, kept and grown between calls.
const char* device_buffer(size_t bytes, uint32_t** buffer);

// Copies results back and reports any error of the launch before it.
const char* fetch(const uint32_t* from, uint32_t* to, size_t bytes);

const char* run_mma(const MatrixRun& run, uint32_t* device_out);
const char* run_wgmma(const MatrixRun& run, uint32_t* device_out);

}  // namespace probe
}  // namespace arith
}  // namespace xqacheck
