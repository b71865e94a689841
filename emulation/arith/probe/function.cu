// Scalar instructions on consecutive inputs.
#include "emulation/arith/probe/device_common.cuh"

namespace xqacheck {
namespace arith {
namespace probe {

namespace {

#define XQACHECK_UNARY(NAME, PTX)                                          \
  case NAME: {                                                             \
    float result;                                                          \
    asm volatile(PTX " %0, %1;" : "=f"(result) : "f"(__uint_as_float(x))); \
    return __float_as_uint(result);                                        \
  }

template <Function function>
__device__ uint32_t evaluate(uint32_t x) {
  switch (function) {
    XQACHECK_UNARY(kEx2Ftz, "ex2.approx.ftz.f32")
    XQACHECK_UNARY(kRcpFtz, "rcp.approx.ftz.f32")
    XQACHECK_UNARY(kRsqrtFtz, "rsqrt.approx.ftz.f32")
    XQACHECK_UNARY(kSqrtFtz, "sqrt.approx.ftz.f32")
    XQACHECK_UNARY(kLg2Ftz, "lg2.approx.ftz.f32")
    XQACHECK_UNARY(kEx2, "ex2.approx.f32")
    XQACHECK_UNARY(kRcp, "rcp.approx.f32")
    XQACHECK_UNARY(kRsqrt, "rsqrt.approx.f32")
    XQACHECK_UNARY(kSqrt, "sqrt.approx.f32")
    XQACHECK_UNARY(kLg2, "lg2.approx.f32")
    XQACHECK_UNARY(kRcpRnFtz, "rcp.rn.ftz.f32")
    case kE4m3FromF32: {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
      uint16_t result;
      asm volatile("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(result) : "f"(__uint_as_float(x)));
      return result;
#else
      asm volatile("trap;");
      return 0;
#endif
    }
    case kF16FromF32: {
      uint16_t result;
      asm volatile("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(__uint_as_float(x)));
      return result;
    }
    case kBf16FromF32: {
      uint16_t result;
      asm volatile("cvt.rn.bf16.f32 %0, %1;" : "=h"(result) : "f"(__uint_as_float(x)));
      return result;
    }
    default: {
      const float a = __uint_as_float(draw::f32_operand(0, x));
      const float b = __uint_as_float(draw::f32_operand(1, x));
      const float c = __uint_as_float(draw::f32_operand(2, x));
      float result;
      if (function == kMulFtz)
        asm volatile("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      else if (function == kAddFtz)
        asm volatile("add.rn.ftz.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
      else
        asm volatile("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
      return __float_as_uint(result);
    }
  }
}

template <Function function>
__global__ void function_kernel(uint32_t first, size_t count, uint32_t* out) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    out[i] = evaluate<function>(first + static_cast<uint32_t>(i));
  }
}

template <int function = 0>
const char* launch(Function wanted, uint32_t first, size_t count, uint32_t* out) {
  if constexpr (function < kFunctions) {
    if (wanted != function) return launch<function + 1>(wanted, first, count, out);
    function_kernel<static_cast<Function>(function)><<<1024, 256>>>(first, count, out);
    return nullptr;
  } else {
    return "no such function";
  }
}

}  // namespace

const char* run_function(Function function, uint32_t first, size_t count, uint32_t* out) {
  uint32_t* device_out = nullptr;
  if (const char* error = device_buffer(count * sizeof(uint32_t), &device_out)) return error;
  if (const char* error = launch(function, first, count, device_out)) return error;
  return fetch(device_out, out, count * sizeof(uint32_t));
}

}  // namespace probe
}  // namespace arith
}  // namespace xqacheck
