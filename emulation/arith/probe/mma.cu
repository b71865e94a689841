// mma.sync on drawn operands: one warp a tile, fragments drawn where they are needed (PTX ISA, "Matrix Fragments for
// mma").
#include "emulation/arith/probe/device_common.cuh"

namespace xqacheck {
namespace arith {
namespace probe {

namespace {

using draw::Stream;

// Called, not inlined: drawing is long, and inlined into every fragment it takes minutes to compile.
template <draw::Code code>
__device__ __noinline__ uint32_t drawn_element(const Stream& stream, uint32_t matrix, uint32_t vector, uint32_t k) {
  return draw::element(code, stream, matrix, vector, k);
}

template <draw::Code code>
__device__ uint32_t pair_of(const Stream& stream, uint32_t matrix, uint32_t vector, uint32_t k) {
  return drawn_element<code>(stream, matrix, vector, k) | drawn_element<code>(stream, matrix, vector, k + 1) << 16;
}

template <draw::Code code>
__device__ uint32_t four_of(const Stream& stream, uint32_t matrix, uint32_t vector, uint32_t k) {
  uint32_t word = 0;
  for (uint32_t i = 0; i < 4; ++i) word |= drawn_element<code>(stream, matrix, vector, k + i) << (8 * i);
  return word;
}

// Needs: the architecture from which the instruction exists; older code paths trap.
template <Instruction instruction>
__device__ void step(const Stream& stream, uint32_t k, uint32_t group, uint32_t member, uint32_t (&d)[4]) {
  float* f = reinterpret_cast<float*>(d);
  if constexpr (instruction == kMmaF16 || instruction == kMmaBf16) {
    constexpr draw::Code code = instruction == kMmaF16 ? draw::kF16 : draw::kBf16;
    const uint32_t a0 = pair_of<code>(stream, draw::kA, group, k + 2 * member);
    const uint32_t a1 = pair_of<code>(stream, draw::kA, group + 8, k + 2 * member);
    const uint32_t a2 = pair_of<code>(stream, draw::kA, group, k + 2 * member + 8);
    const uint32_t a3 = pair_of<code>(stream, draw::kA, group + 8, k + 2 * member + 8);
    const uint32_t b0 = pair_of<code>(stream, draw::kB, group, k + 2 * member);
    const uint32_t b1 = pair_of<code>(stream, draw::kB, group, k + 2 * member + 8);
    if constexpr (instruction == kMmaF16) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
  } else if constexpr (instruction == kMmaF16K8 || instruction == kMmaBf16K8) {
    constexpr draw::Code code = instruction == kMmaF16K8 ? draw::kF16 : draw::kBf16;
    const uint32_t a0 = pair_of<code>(stream, draw::kA, group, k + 2 * member);
    const uint32_t a1 = pair_of<code>(stream, draw::kA, group + 8, k + 2 * member);
    const uint32_t b0 = pair_of<code>(stream, draw::kB, group, k + 2 * member);
    if constexpr (instruction == kMmaF16K8) {
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                   : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                   : "r"(a0), "r"(a1), "r"(b0));
    } else {
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                   : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
                   : "r"(a0), "r"(a1), "r"(b0));
    }
  } else {
    constexpr draw::Code code = instruction == kMmaE4m3 ? draw::kE4m3 : draw::kS8;
    const uint32_t a0 = four_of<code>(stream, draw::kA, group, k + 4 * member);
    const uint32_t a1 = four_of<code>(stream, draw::kA, group + 8, k + 4 * member);
    const uint32_t a2 = four_of<code>(stream, draw::kA, group, k + 4 * member + 16);
    const uint32_t a3 = four_of<code>(stream, draw::kA, group + 8, k + 4 * member + 16);
    const uint32_t b0 = four_of<code>(stream, draw::kB, group, k + 4 * member);
    const uint32_t b1 = four_of<code>(stream, draw::kB, group, k + 4 * member + 16);
    if constexpr (instruction == kMmaS8) {
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    } else {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
      asm volatile(
          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
          : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
      asm volatile("trap;");
#endif
    }
  }
}

__host__ __device__ constexpr int k_of(Instruction instruction) {
  return instruction == kMmaF16 || instruction == kMmaBf16       ? 16
         : instruction == kMmaF16K8 || instruction == kMmaBf16K8 ? 8
                                                                 : 32;
}

constexpr int kWarps = 4;  // a block

template <Instruction instruction>
__global__ void mma_kernel(MatrixRun run, uint32_t* out) {
  const uint32_t tile = blockIdx.x * kWarps + threadIdx.x / 32;
  if (tile >= run.tiles) return;  // whole warps
  const uint32_t group = threadIdx.x % 32 / 4;
  const uint32_t member = threadIdx.x % 4;
  const Stream stream{run.seed, run.kind, run.first_tile + tile};
  uint32_t d[4] = {};
  if (!run.c_is_zero) {
    for (uint32_t i = 0; i < 4; ++i) d[i] = draw::accumulator(stream, group + i / 2 * 8, 2 * member + i % 2);
  }
  for (int s = 0; s < run.k_steps; ++s) {
    step<instruction>(stream, static_cast<uint32_t>(s * k_of(instruction)), group, member, d);
  }
  for (uint32_t i = 0; i < 4; ++i) out[(tile * 16 + group + i / 2 * 8) * 8 + 2 * member + i % 2] = d[i];
}

}  // namespace

const char* run_mma(const MatrixRun& run, uint32_t* out) {
  const unsigned blocks = (run.tiles + kWarps - 1) / kWarps;
  constexpr unsigned kThreads = kWarps * 32;
  switch (run.instruction) {
    case kMmaF16:
      mma_kernel<kMmaF16><<<blocks, kThreads>>>(run, out);
      break;
    case kMmaBf16:
      mma_kernel<kMmaBf16><<<blocks, kThreads>>>(run, out);
      break;
    case kMmaF16K8:
      mma_kernel<kMmaF16K8><<<blocks, kThreads>>>(run, out);
      break;
    case kMmaBf16K8:
      mma_kernel<kMmaBf16K8><<<blocks, kThreads>>>(run, out);
      break;
    case kMmaE4m3:
      mma_kernel<kMmaE4m3><<<blocks, kThreads>>>(run, out);
      break;
    case kMmaS8:
      mma_kernel<kMmaS8><<<blocks, kThreads>>>(run, out);
      break;
    default:
      return "no mma.sync instruction";
  }
  return nullptr;
}

}  // namespace probe
}  // namespace arith
}  // namespace xqacheck
