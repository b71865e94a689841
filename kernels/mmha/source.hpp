// The compile request of `mmha` for one shape.
#pragma once

#include <string>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/jit/compile.hpp"

namespace xqacheck::kernels::mmha {

// What the machine code depends on; everything else is a run-time parameter.
struct Shape {
  std::uint32_t head_dim = 128, head_dim_v = 128;
  std::uint32_t q = XQACHECK_BF16, kv = XQACHECK_BF16, out = XQACHECK_BF16;
};
Shape shape_of(const xqacheck_problem& problem);
jit::CompileRequest compile_request(const Shape& shape, const std::string& arch);

inline constexpr std::uint32_t kThreads = 128;  // block size, as in mmha.cu
inline constexpr std::uint32_t kTileTokens = 128;

}  // namespace xqacheck::kernels::mmha
