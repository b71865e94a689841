// The error bound of one row from its sums (doc/error-bounds.md): worst case, statistical spread and bias per element.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/rounding_model.hpp"
#include "reference/golden/unit.hpp"

namespace xqacheck::reference {

// What the elements of a row share.
struct RowError {
  double z = 1;             // the denominator, in units of the weights
  double out_scale = 1;     // v_scale * rcp_out_scale
  double base = 0;          // the part of a weight's relative error that all weights have
  double weights = 0;       // worst relative error of the denominator
  double sum_bias = 0;      // of that, by the additions of the row sum
  double spread = 0;        // variance of the relative error of the denominator
  double tiles2 = 0;        // sum over tiles of (share of the tile)^2
  double cells2 = 0;        // sum over cells of nearly equal weights of (share of the cell)^2
  double shrink = 1;        // of the variance: spread significands round with less than the largest relative error
  double score_part = 0;    // share of the variance of a weight that is not by the rounding of P
  double copies = 1;        // most tokens with equal K and V, whose roundings are equal in every way
  double skipped = 0;       // share of what skip-softmax may leave out
  double v_gap = 0;         // output error by the slack of appended V
  double score_shrink = 0;  // relative, coherent: truncation makes scores smaller
  double slope = 0;         // share-weighted mean of (score - row maximum)
  double tokens = 0, tiles = 0;
  bool promise = true;         // false: the row is outside of what fp32 holds, no bound
  bool sink_overflow = false;  // exp(sink - maximum) overflows fp32: a kernel may answer 0
  bool flushed = false;        // the factor that normalises the row may be flushed to 0
  double lse_worst = 0;
};

struct ElementSums {
  double out = 0, abs = 0, rest = 0, spread = 0, reach = 0, slope = 0;  // the planes of unit.hpp, merged
  double signs = 0, largest = 0;                                        // of the channel
};

struct ElementError {
  double worst = 0, sigma = 0, bias = 0;
  double coherent = 0;  // of bias: by equal roundings of P
  double own = 0;       // of sigma^2: what is no error of a weight, so that every channel has its own
};

// `sink`: natural-log logit, -inf for none. `lse`: the golden LSE. `unit`: after pass 2.
RowError row_error(const xqacheck_problem& problem, const RoundingModel& model, const Unit& unit, const Row& row,
                   const RowSums& sums, const Coherence& coherence, double sink, double lse);

// Derivative of the output by the logarithm of the softmax scale, before out_scale.
double slope_of(const RowError& row, const ElementSums& sums);

ElementError element_error(const RoundingModel& model, const RowError& row, const ElementSums& sums);

}  // namespace xqacheck::reference
