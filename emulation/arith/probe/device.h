/* What the probe asks of the GPU: the only interface between its CUDA files and its host files. Functions return a null
 * pointer, or a sentence that says what failed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace xqacheck {
namespace arith {
namespace probe {

struct Device {
  char name[256];
  int major, minor;     // compute capability
  int driver, runtime;  // as CUDA counts: 13000 = 13.0
  int built_with;       // toolkit of the compiler, the same way
};

// The first visible device. Loads the driver: fails with a sentence where there is none.
const char* open_device(Device* device);

// Page-locked memory; freed at exit.
const char* host_buffer(size_t bytes, uint32_t** buffer);

enum Instruction {
  kMmaF16,     // m16n8k16
  kMmaBf16,    // m16n8k16
  kMmaF16K8,   // m16n8k8
  kMmaBf16K8,  // m16n8k8
  kMmaE4m3,    // m16n8k32
  kMmaS8,      // m16n8k32
  kWgmmaF16,   // m64nNk16
  kWgmmaBf16,  // m64nNk16
  kWgmmaE4m3,  // m64nNk32
  kInstructions
};

struct MatrixRun {
  Instruction instruction;
  int n;                // 8 for mma.sync; 8, 16, 24, 32, 64, 128, 256 for wgmma
  bool a_in_registers;  // wgmma: A from registers instead of shared memory
  int k_steps;          // chained instructions, 1 to kMaxSteps
  bool c_is_zero;       // wgmma scale-d = 0 in the first step; mma.sync: C = +0
  uint64_t seed;
  uint32_t kind;  // draw::Kind
  uint32_t first_tile, tiles;
};
constexpr int kMaxSteps = 4;

// out[tile][row][column], rows 16 or 64, columns n; operands drawn by draw.h.
const char* run_matrix(const MatrixRun& run, uint32_t* out);

enum Function {
  kEx2Ftz,
  kRcpFtz,
  kRsqrtFtz,
  kSqrtFtz,
  kLg2Ftz,  // .approx.ftz.f32
  kEx2,
  kRcp,
  kRsqrt,
  kSqrt,
  kLg2,          // .approx.f32
  kE4m3FromF32,  // cvt.rn.satfinite.e4m3x2.f32, both lanes the input
  kF16FromF32,
  kBf16FromF32,
  kRcpRnFtz,  // rcp.rn.ftz.f32
  kMulFtz,
  kAddFtz,
  kFmaFtz,  // of draw::f32_operand(0 to 2, input)
  kFunctions
};

// out[i] = function(first + i) for i < count.
const char* run_function(Function function, uint32_t first, size_t count, uint32_t* out);

}  // namespace probe
}  // namespace arith
}  // namespace xqacheck
