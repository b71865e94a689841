// wgmma on drawn operands: one warpgroup a tile of 64 x N. Operands lie in shared memory without swizzle, K-major: core
// matrices of 8 vectors x 16 bytes, the two of a k-step 128 bytes apart (leading offset), groups of 8 vectors 256 bytes
// apart (stride offset). Only sm_90a has the instruction; elsewhere run_wgmma says so.
#include "emulation/arith/probe/device_common.cuh"
#include "emulation/arith/probe/wgmma_asm.inc"

namespace xqacheck {
namespace arith {
namespace probe {

namespace {

using draw::Stream;

constexpr int kRows = 64;
constexpr int kStepBytes = 32;  // of one vector: 16 f16 or bf16, 32 e4m3
constexpr int kThreads = 128;

__host__ __device__ constexpr bool is_narrow(Instruction instruction) {
  return instruction == kWgmmaE4m3;
}
__host__ __device__ constexpr draw::Code code_of(Instruction instruction) {
  return instruction == kWgmmaF16 ? draw::kF16 : instruction == kWgmmaBf16 ? draw::kBf16 : draw::kE4m3;
}

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define XQACHECK_HAS_WGMMA 1
#endif

// Called, not inlined: 42 kernels with the drawing inlined take minutes to compile.
template <draw::Code code>
__device__ __noinline__ uint32_t drawn_element(const Stream& stream, uint32_t matrix, uint32_t vector, uint32_t k) {
  return draw::element(code, stream, matrix, vector, k);
}
__device__ __noinline__ uint32_t drawn_accumulator(const Stream& stream, uint32_t row, uint32_t column) {
  return draw::accumulator(stream, row, column);
}

// Four bytes of a vector from byte `at` of k-step `step`.
template <Instruction instruction>
__device__ uint32_t word_of(const Stream& stream, uint32_t matrix, uint32_t vector, int step, int at) {
  constexpr draw::Code code = code_of(instruction);
  uint32_t word = 0;
  if constexpr (is_narrow(instruction)) {
    for (int i = 0; i < 4; ++i) {
      word |= drawn_element<code>(stream, matrix, vector, static_cast<uint32_t>(step * 32 + at + i)) << (8 * i);
    }
  } else {
    for (int i = 0; i < 2; ++i) {
      word |= drawn_element<code>(stream, matrix, vector, static_cast<uint32_t>(step * 16 + at / 2 + i)) << (16 * i);
    }
  }
  return word;
}

// Fills one k-step of `vectors` vectors in the layout above.
template <Instruction instruction>
__device__ void fill(uint32_t* shared, const Stream& stream, uint32_t matrix, int vectors, int step) {
  for (int i = static_cast<int>(threadIdx.x); i < vectors * (kStepBytes / 4); i += kThreads) {
    const int vector = i / (kStepBytes / 4);
    const int at = i % (kStepBytes / 4) * 4;
    const int offset = vector / 8 * 256 + at / 16 * 128 + vector % 8 * 16 + at % 16;
    shared[offset / 4] = word_of<instruction>(stream, matrix, static_cast<uint32_t>(vector), step, at);
  }
}

__device__ uint64_t descriptor(const void* shared) {
  const uint64_t address = static_cast<uint64_t>(__cvta_generic_to_shared(shared));
  constexpr uint64_t kLeading = 128 >> 4;
  constexpr uint64_t kStride = 256 >> 4;
  return (address & 0x3ffff) >> 4 | kLeading << 16 | kStride << 32;
}

template <Instruction instruction, int n>
__device__ void wgmma_shared(float (&d)[n / 2], uint64_t descriptor_a, uint64_t descriptor_b, int scale_d) {
#ifdef XQACHECK_HAS_WGMMA
#define XQACHECK_CASE(N)                                    \
  if constexpr (n == N) {                                   \
    if constexpr (instruction == kWgmmaF16)                 \
      XQACHECK_WGMMA_SMEM_##N("k16.f32.f16.f16", ",0,0");   \
    else if constexpr (instruction == kWgmmaBf16)           \
      XQACHECK_WGMMA_SMEM_##N("k16.f32.bf16.bf16", ",0,0"); \
    else                                                    \
      XQACHECK_WGMMA_SMEM_##N("k32.f32.e4m3.e4m3", "");     \
  }
  XQACHECK_CASE(8)
  XQACHECK_CASE(16) XQACHECK_CASE(24) XQACHECK_CASE(32) XQACHECK_CASE(64) XQACHECK_CASE(128) XQACHECK_CASE(256)
#undef XQACHECK_CASE
#endif
}

template <Instruction instruction, int n>
__device__ void wgmma_registers(float (&d)[n / 2], const uint32_t (&a)[4], uint64_t descriptor_b, int scale_d) {
#ifdef XQACHECK_HAS_WGMMA
#define XQACHECK_CASE(N)                                  \
  if constexpr (n == N) {                                 \
    if constexpr (instruction == kWgmmaF16)               \
      XQACHECK_WGMMA_REGS_##N("k16.f32.f16.f16", ",0");   \
    else if constexpr (instruction == kWgmmaBf16)         \
      XQACHECK_WGMMA_REGS_##N("k16.f32.bf16.bf16", ",0"); \
    else                                                  \
      XQACHECK_WGMMA_REGS_##N("k32.f32.e4m3.e4m3", "");   \
  }
  XQACHECK_CASE(8)
  XQACHECK_CASE(16) XQACHECK_CASE(24) XQACHECK_CASE(32) XQACHECK_CASE(64) XQACHECK_CASE(128) XQACHECK_CASE(256)
#undef XQACHECK_CASE
#endif
}

template <Instruction instruction, int n, bool a_in_registers>
__global__ void __launch_bounds__(kThreads) wgmma_kernel(MatrixRun run, uint32_t* out) {
#ifdef XQACHECK_HAS_WGMMA
  __shared__ __align__(128) uint32_t shared_a[kRows * kStepBytes / 4];
  __shared__ __align__(128) uint32_t shared_b[n * kStepBytes / 4];
  const int thread = static_cast<int>(threadIdx.x);
  const int row = thread / 32 * 16 + thread % 32 / 4;
  const int member = thread % 4;
  for (uint32_t tile = blockIdx.x; tile < run.tiles; tile += gridDim.x) {
    const Stream stream{run.seed, run.kind, run.first_tile + tile};
    float d[n / 2];
#pragma unroll
    for (int i = 0; i < n / 2; ++i) {
      const int at_row = row + i / 2 % 2 * 8;
      const int at_column = i / 4 * 8 + member * 2 + i % 2;
      d[i] =
          __uint_as_float(drawn_accumulator(stream, static_cast<uint32_t>(at_row), static_cast<uint32_t>(at_column)));
    }
    for (int step = 0; step < run.k_steps; ++step) {
      __syncthreads();  // the step before has been read
      if (!a_in_registers) fill<instruction>(shared_a, stream, draw::kA, kRows, step);
      fill<instruction>(shared_b, stream, draw::kB, n, step);
      // Four registers of A: rows g and g + 8, bytes 4 member and 16 + 4 member of the step.
      uint32_t a[4];
      if (a_in_registers) {
        for (int i = 0; i < 4; ++i) {
          a[i] = word_of<instruction>(stream, draw::kA, static_cast<uint32_t>(row + i % 2 * 8), step,
                                      member * 4 + i / 2 * 16);
        }
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncthreads();
      const int scale_d = run.c_is_zero && step == 0 ? 0 : 1;
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      if (a_in_registers) {
        wgmma_registers<instruction, n>(d, a, descriptor(shared_b), scale_d);
      } else {
        wgmma_shared<instruction, n>(d, descriptor(shared_a), descriptor(shared_b), scale_d);
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
#pragma unroll
    for (int i = 0; i < n / 2; ++i) {
      const int at_row = row + i / 2 % 2 * 8;
      const int at_column = i / 4 * 8 + member * 2 + i % 2;
      out[(static_cast<size_t>(tile) * kRows + static_cast<size_t>(at_row)) * n + static_cast<size_t>(at_column)] =
          __float_as_uint(d[i]);
    }
  }
#endif
}

template <Instruction instruction, int n>
void launch(const MatrixRun& run, uint32_t* out) {
  constexpr unsigned kBlocks = 132 * 8;  // several a multiprocessor; each loops over tiles
  const unsigned blocks = run.tiles < kBlocks ? run.tiles : kBlocks;
  if (run.a_in_registers) {
    wgmma_kernel<instruction, n, true><<<blocks, kThreads>>>(run, out);
  } else {
    wgmma_kernel<instruction, n, false><<<blocks, kThreads>>>(run, out);
  }
}

template <Instruction instruction>
const char* launch_n(const MatrixRun& run, uint32_t* out) {
  switch (run.n) {
    case 8:
      launch<instruction, 8>(run, out);
      break;
    case 16:
      launch<instruction, 16>(run, out);
      break;
    case 24:
      launch<instruction, 24>(run, out);
      break;
    case 32:
      launch<instruction, 32>(run, out);
      break;
    case 64:
      launch<instruction, 64>(run, out);
      break;
    case 128:
      launch<instruction, 128>(run, out);
      break;
    case 256:
      launch<instruction, 256>(run, out);
      break;
    default:
      return "wgmma: N is not one of 8, 16, 24, 32, 64, 128, 256";
  }
  return nullptr;
}

}  // namespace

const char* run_wgmma(const MatrixRun& run, uint32_t* out) {
  switch (run.instruction) {
    case kWgmmaF16:
      return launch_n<kWgmmaF16>(run, out);
    case kWgmmaBf16:
      return launch_n<kWgmmaBf16>(run, out);
    case kWgmmaE4m3:
      return launch_n<kWgmmaE4m3>(run, out);
    default:
      return "no wgmma instruction";
  }
}

}  // namespace probe
}  // namespace arith
}  // namespace xqacheck
