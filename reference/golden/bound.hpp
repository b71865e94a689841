// The error bound of one row from its sums (doc/error-bounds.md): worst case, statistical spread and bias per element.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/rounding_model.hpp"
#include "reference/golden/unit.hpp"

namespace xqacheck::reference {

// What the elements of a row share. All sums are in units of the weights, with Z = sum e + sink.
struct RowError {
  double z = 1;          // the denominator
  double out_scale = 1;  // v_scale * rcp_out_scale
  double weights = 0;    // worst relative error of the denominator
  double sum_bias = 0;   // of that, by the additions of the row sum
  double spread = 0;     // variance of the relative error of the denominator
  double tiles2 = 0;     // sum over tiles of (share of the tile)^2
  double skipped = 0;    // share of what skip-softmax may leave out
  double v_gap = 0;      // output error by the slack of appended V
  double sink_share = 0;
  double tokens = 0, tiles = 0;
  bool promise = true;         // false: the row is outside of what fp32 holds, no bound
  bool sink_overflow = false;  // exp(sink - maximum) overflows fp32: a kernel may answer 0
  double lse_worst = 0;
};

struct ElementSums {
  double out = 0, abs = 0, wrong = 0, spread = 0, reach = 0;  // the planes of unit.hpp, merged
  double signs = 0, largest = 0;                              // of the channel
};

struct ElementError {
  double worst = 0, sigma = 0, bias = 0;
};

// `sink`: natural-log logit, -inf for none. `lse`: the golden LSE.
RowError row_error(const xqacheck_problem& problem, const RoundingModel& model, const Row& row, const RowSums& sums,
                   double sink, double lse);

ElementError element_error(const RoundingModel& model, const RowError& row, const ElementSums& sums);

}  // namespace xqacheck::reference
