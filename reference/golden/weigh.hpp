// Weights exp(score - row maximum) of one row and tile, and how far a kernel's weights may be from them
// (doc/error-bounds.md, B1 to B3). Units: the row's largest weight is 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/rounding_model.hpp"

namespace xqacheck::reference {

// What the weights of a row have in common.
struct WeightModel {
  double max = 0, size = 0;  // largest score, largest |score|
  double q_size = 0;         // score scale * (norm of q + smallest normal of q)
  double k_smallest = 0;
  double slack_q = 0, slack_k = 0;  // score scale * slack of q; score scale * norm of q
  double dot_worst = 0, dot_variance = 0;
  double weight_error = 0;  // relative, by exp and rescales
  double exp_variance = 0;
  double score_variance = 0;  // largest variance of a weight's relative error but for the rounding of P
  double p_error = 0, p_variance = 0, p_floor = 0, p_smallest = 0;
  // `wrong` is split into base * e and the rest, which is 0 for most tiles: that saves a contraction.
  double base = 0;

  // Bound on the shift of a score no larger than `score` in absolute value, for a key of norm `k_norm`.
  double shift(double score, double k_norm) const;
};

// `length`: tokens of the sequence; `size`: largest |score| of the row; `largest_k`: largest norm of a K row.
WeightModel weight_model(const RoundingModel& m, double scale, std::uint32_t dim, double q_norm, double q_slack,
                         double max, double size, double largest_k, std::int64_t length);

struct TileSums {
  double e = 0, e2 = 0;
  double rest = 0;    // sum of (largest possible error - base * e), not below 0 each
  double spread = 0;  // sum of the variances
};

// Fills e, rest and spread (kBlockTokens each, zeros from `count` on and where the score is -inf). `k_gap` is NULL
// where no token of the tile is appended. rest and spread are left alone when `model` has no error part (NULL rest).
TileSums weigh_tile(const WeightModel& model, const double* scores, const double* k_norm, const double* k_gap,
                    std::size_t count, double* e, double* rest, double* spread);

struct ScoreStats {
  double max, size;  // largest score; largest |score| of finite ones
  bool nan;          // a NaN or +inf
};
// Multiplies `count` scores by `scale` in place.
ScoreStats scale_scores(double* scores, std::size_t count, double scale);

}  // namespace xqacheck::reference
