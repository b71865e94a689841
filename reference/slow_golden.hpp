// The second golden model: the same function as reference/golden.hpp, written a second time by another author from the
// interface text alone (kernels/abi/xqacheck_kernel.h and DESIGN sections 4, 6, 10): scalar, long double, one function
// per idea (reference/slow/), as slow as it is plain. It exists to check the fast one; nothing else should call it.
//
// Where the text leaves a choice, doc/golden.md states the answer as a numbered sentence.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

// Vectors are [R][q_heads][head_dim_v] or [R][q_heads], R = total_rows, row-major and dense, as in Golden.
struct SlowGolden {
  std::uint32_t rows = 0, heads = 0, dim_v = 0;
  std::vector<long double> out;          // after rcp_out_scale, not rounded to the output format
  std::vector<long double> lse;          // natural logarithm, sink included
  std::vector<long double> sum_p_abs_v;  // sum p |v| v_scale rcp_out_scale
  std::vector<long double> score_size;  // scale * max over visible tokens of sum |q||k|: the conditioning of the scores
  std::vector<std::uint8_t> empty;      // 1: no token visible, or every score is -inf
  std::vector<std::uint8_t> special;    // 1: NaN or Inf is expected somewhere in the row
};

// `problem` holds host pointers. Only numerics->q_format matters (NULL: q stays as it is). Skip-softmax skips nothing
// here. Throws std::out_of_range when the problem points outside one of its tensors, std::invalid_argument for a bad
// dtype.
SlowGolden slow_golden(const xqacheck_problem& problem, const xqacheck_numerics* numerics = nullptr);

}  // namespace xqacheck::reference
