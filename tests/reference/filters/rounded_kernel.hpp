// A correct kernel with coarse arithmetic, for tests of the filters: flash decoding in fp32 with P rounded to a narrow
// format in 64-token tiles, split partials in 16 bits, output rounded to its format. One planted fault can be switched
// on.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::tests {

struct RoundedKernel {
  std::uint32_t p_format = XQACHECK_BF16;
  float p_scale = 1;
  std::uint32_t splits = 1;  // contiguous sub-sequences of whole tiles
  std::uint32_t partial_format = XQACHECK_FP32;
  bool sum_rounded = false;            // the row sum adds rounded weights
  bool merge_without_rescale = false;  // fault: partials added as they are

  xqacheck_numerics numerics() const;  // what it declares
};

// Decoded output, [R][q_heads][head_dim_v].
std::vector<double> run(const RoundedKernel& kernel, const xqacheck_problem& problem);

}  // namespace xqacheck::tests
