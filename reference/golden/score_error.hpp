// How far a kernel's weight exp(score - maximum) of one token may be from the exact one (doc/error-bounds.md, B1 to
// B3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/rounding_model.hpp"

namespace xqacheck::reference {

struct TokenError {
  double wrong = 0;     // largest possible error of the weight, in units of the weights
  double variance = 0;  // of that error under the statistical model
};

class ScoreError {
 public:
  // `row_max` and `row_size`: the row's largest score and largest |score|.
  ScoreError(const xqacheck_problem& p, const RoundingModel& m, double scale, double q_norm, double q_slack,
             double row_max, double row_size, std::int64_t length)
      : m_(m), q_norm_(q_norm), q_slack_(q_slack), scale_(std::fabs(scale)), row_max_(row_max), row_size_(row_size) {
    const double dim = p.head_dim, steps = std::ceil(dim / m.steps);
    // Truncating: every step may lose a grid unit of each product, of the carried sum and of the result. Nearest: one
    // rounding a step, and one for products that are not exact in fp32.
    dot_worst_ = (m.truncates ? 2 * steps + dim : steps + 1) * m.grid;
    dot_variance_ = (m.truncates ? dim + 2 * steps : steps + 1) * m.grid * m.grid / 3;
    // A weight is rescaled once a tile at most, and in up to three merges.
    const double rescales = static_cast<double>(length) / m.tile_tokens + 4;
    weight_error_ = rescales * (m.exp_error + 4 * kFp32);
    p_error_ = std::pow(1 + m.p_unit, m.p_roundings) - 1;
    p_variance_ = m.p_roundings * m.p_unit * m.p_unit / 3;
  }

  TokenError of(double score, double e, double k_norm, double k_gap) const {
    const double size = scale_ * (q_norm_ + m_.q_smallest) * (k_norm + m_.k_smallest);
    const double slack = scale_ * (q_slack_ * (k_norm + k_gap) + q_norm_ * k_gap);
    const double scalar = scalar_error(score);
    const double worst = std::min(dot_worst_ * size + slack + scalar, kLargestShift);
    const double relative = std::expm1(worst) + weight_error_ * std::exp(worst);
    double rounding = std::max(p_error_ * e, std::min(e, m_.p_floor));
    if (e < kFlush) rounding = e;
    TokenError result;
    result.wrong = e * relative + rounding * (1 + relative);
    result.variance =
        e * e * (dot_variance_ * size * size + slack * slack + scalar * scalar / 3 + m_.exp_error * m_.exp_error);
    if (e < m_.p_floor) {
      result.variance += e * e;
    } else {
      result.variance += std::max(p_variance_ * e * e, e < m_.p_smallest ? m_.p_floor * m_.p_floor / 3 : 0);
    }
    return result;
  }

  // Largest shift of any of `count` scores no larger than `score`.
  double most(double score, const double* k_norm, std::size_t count) const {
    double largest = 0;
    for (std::size_t t = 0; t < count; ++t) largest = std::max(largest, k_norm[t]);
    return dot_worst_ * scale_ * (q_norm_ + m_.q_smallest) * (largest + m_.k_smallest) + scalar_error(score);
  }

 private:
  static constexpr double kFp32 = 0x1p-24;    // half an ulp of fp32, relative
  static constexpr double kFlush = 0x1p-125;  // weights below may be flushed to 0 by exp or by .ftz arithmetic
  // exp(40) times a weight says "no promise" as well as infinity does, and keeps the sums finite.
  static constexpr double kLargestShift = 40;

  // fp32 arithmetic on the score: the scale is a product of three roundings, applied with one more; log2(e), the
  // subtraction of a maximum (as a product with log2(e), rounded) and the sum.
  double scalar_error(double score) const {
    return kFp32 * (6 * std::fabs(score) + 4 * (row_max_ - score) + 4 * row_size_);
  }

  const RoundingModel& m_;
  double q_norm_, q_slack_, scale_, row_max_, row_size_;
  double dot_worst_, dot_variance_, weight_error_, p_error_, p_variance_;
};

}  // namespace xqacheck::reference
