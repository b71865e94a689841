// The golden model: fp64 attention on the exactly dequantised inputs of a problem, with an error bound for every output
// element. See doc/golden.md for semantics and doc/error-bounds.md for the derivation of the bounds.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

// Every vector is [R][q_heads][head_dim_v] or [R][q_heads], R = total_rows, row-major and dense, whatever the strides
// of `out`.
struct Golden {
  std::uint32_t rows = 0, heads = 0, dim_v = 0;
  std::vector<double> out;    // value before output rounding, after rcp_out_scale
  std::vector<double> lse;    // [R][q_heads], natural log, sink included; -inf for an empty row without a sink
  std::vector<double> worst;  // worst-case bound on |unrounded kernel output - out|; +inf: no promise for this element
  std::vector<double> sigma;  // standard deviation of the same error under the statistical model
  std::vector<double> bias;   // |mean| of the same error (truncation, coherent roundings)
  std::vector<double> coherent;  // of bias: by equal roundings of P, which reference/filters carries out instead
  std::vector<double> own;  // of sigma^2: what is no error of a weight, but of each channel (partials, accumulator)
  std::vector<std::uint32_t> copies;  // [R][q_heads]: most tokens with the same K and V that the row's request holds
  std::vector<double> lse_worst;      // [R][q_heads]
  std::vector<double>
      sum_p_abs_v;  // [R][q_heads][dim_v]: sum p |v| v_scale rcp_out_scale, the natural size of an element
  std::vector<double> scale_slope;    // d out / d ln(softmax scale), only if asked for
  std::vector<std::uint8_t> empty;    // [R][q_heads]: 1 where no token is visible or every score is -inf
  std::vector<std::uint8_t> special;  // [R][q_heads]: 1 where NaN or Inf is expected in the row
};

struct GoldenOptions {
  bool error_model = true;   // fill worst, sigma, bias, coherent, own, copies, lse_worst, sum_p_abs_v
  bool scale_slope = false;  // fill scale_slope
  int threads = 0;           // 0: all; the result does not depend on it
};

// `problem` holds host pointers; out and lse tensors are not touched. `numerics` says how the kernel under test rounds
// (NULL: the safe defaults written at xqacheck_numerics). Identical bits for any number of threads on one machine;
// instruction sets with other vector lengths add in another order (differences of some 1e-16). Throws
// std::invalid_argument when the problem contradicts itself and std::out_of_range when it points outside of one of its
// tensors, naming the field.
Golden golden(const xqacheck_problem& problem, const xqacheck_numerics* numerics, const GoldenOptions& options = {});

}  // namespace xqacheck::reference
