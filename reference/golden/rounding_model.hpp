// What a kernel declares about its rounding (xqacheck_numerics), with the safe defaults filled in and turned into the
// numbers that the error bound needs. doc/error-bounds.md derives how they are used.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

struct RoundingModel {
  std::uint32_t q_format;  // dtype, XQACHECK_NONE: q stays as it is

  // P: weights relative to exp(row maximum), so the largest is 1.
  double p_unit;          // relative half spacing: 2^-bits
  double p_scale;         // P is multiplied by it before rounding, and the output by its reciprocal
  double p_floor;         // half of the smallest spacing, in units of the weights
  double p_smallest;      // smallest normal number, in units of the weights
  int p_roundings;        // roundings of one weight: 3 when a tile's P may be rescaled in its own format, else 1
  bool p_fits;            // p_scale itself is a finite number of the format
  bool sum_of_rounded;    // the row sum may add rounded P
  bool sum_of_unrounded;  // the row sum may add unrounded P

  // Accumulators of both products.
  double grid;  // absolute error of one aligned term, relative to the largest term: 2^-(bits - 1) or 2^-bits
  bool truncates;
  int steps;                                  // products added per rounding
  double q_smallest, k_smallest, v_smallest;  // smallest normal numbers of the stored formats

  double sum_unit;  // relative error of one addition in the row sum
  double partial_unit, partial_floor, partial_largest;
  int partial_roundings;  // roundings to the partial format between accumulator and output
  int tile_tokens;
  double exp_error;  // relative error of exp beyond that of its argument
  bool double_rounded_output;
};

RoundingModel rounding_model(const xqacheck_problem& problem, const xqacheck_numerics* numerics);

}  // namespace xqacheck::reference
