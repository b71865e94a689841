#include "reference/golden/weigh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/golden/contract.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/golden/weigh.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

#ifndef XQACHECK_REFERENCE_GOLDEN_WEIGH_CONSTANTS
#define XQACHECK_REFERENCE_GOLDEN_WEIGH_CONSTANTS
namespace xqacheck::reference {
namespace {

constexpr double kFp32 = 0x1p-24;  // half an ulp of fp32, relative
// Weights below may be flushed to 0, by exp or by .ftz arithmetic on them.
constexpr double kFlush = 0x1p-125;
// A shift of 40 times a weight says "no promise" as well as infinity does, and keeps the sums finite.
constexpr double kLargestShift = 40;
// fp32 arithmetic on a score: its scale is a product of three roundings, applied with one more, then log2(e) and the
// sum with the scaled maximum: 5 roundings of the score, 3 of the difference, 2 of the maximum as it was rounded alone.
constexpr double kScoreRoundings = 5 * kFp32, kDifferenceRoundings = 3 * kFp32, kMaximumRoundings = 2 * kFp32;

}  // namespace
}  // namespace xqacheck::reference
#endif

HWY_BEFORE_NAMESPACE();
namespace xqacheck::reference {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());

TileSums WeighTile(const WeightModel& m, const double* HWY_RESTRICT scores, const double* HWY_RESTRICT k_norm,
                   const double* HWY_RESTRICT k_gap, std::size_t count, double* HWY_RESTRICT e_out,
                   double* HWY_RESTRICT rest_out, double* HWY_RESTRICT spread_out) {
  const D d;
  const V minus_inf = hn::Set(d, -std::numeric_limits<double>::infinity());
  V sum_e = hn::Zero(d), sum_e2 = hn::Zero(d), sum_rest = hn::Zero(d), sum_spread = hn::Zero(d);
  for (std::size_t t = 0; t < kBlockTokens; t += kLanes) {
    if (t >= count) {
      hn::StoreU(hn::Zero(d), d, e_out + t);
      if (rest_out != nullptr) {
        hn::StoreU(hn::Zero(d), d, rest_out + t);
        hn::StoreU(hn::Zero(d), d, spread_out + t);
      }
      continue;
    }
    const auto inside = hn::FirstN(d, count - t);
    const V score = hn::IfThenElse(inside, hn::MaskedLoad(inside, d, scores + t), minus_inf);
    const auto seen = hn::Gt(score, minus_inf);
    const V below = hn::IfThenElseZero(seen, hn::Sub(score, hn::Set(d, m.max)));
    const V e = hn::IfThenElseZero(seen, hn::Exp(d, below));
    hn::StoreU(e, d, e_out + t);
    sum_e = hn::Add(sum_e, e);
    sum_e2 = hn::MulAdd(e, e, sum_e2);
    if (rest_out == nullptr) continue;

    const V norm = hn::MaskedLoad(inside, d, k_norm + t);
    const V size = hn::Mul(hn::Set(d, m.q_size), hn::Add(norm, hn::Set(d, m.k_smallest)));
    V slack = hn::Mul(hn::Set(d, m.slack_q), norm);
    if (k_gap != nullptr) {
      const V gap = hn::MaskedLoad(inside, d, k_gap + t);
      slack = hn::MulAdd(hn::Set(d, m.slack_q + m.slack_k), gap, slack);
    }
    const V scalar =
        hn::MulAdd(hn::Set(d, kScoreRoundings), hn::IfThenElseZero(seen, hn::Abs(score)),
                   hn::NegMulAdd(hn::Set(d, kDifferenceRoundings), below, hn::Set(d, kMaximumRoundings * m.size)));
    const V shift =
        hn::Min(hn::MulAdd(hn::Set(d, m.dot_worst), size, hn::Add(slack, scalar)), hn::Set(d, kLargestShift));
    const V factor = hn::Exp(d, shift);
    // exp(shift) - 1 with room for the cancellation, then the errors of exp itself.
    const V relative =
        hn::Add(hn::MulAdd(hn::Set(d, m.weight_error), factor, hn::Sub(factor, hn::Set(d, 1.0))), hn::Set(d, 0x1p-50));
    V rounding = hn::Max(hn::Mul(hn::Set(d, m.p_error), e), hn::Min(e, hn::Set(d, m.p_floor)));
    rounding = hn::IfThenElse(hn::Lt(e, hn::Set(d, kFlush)), e, rounding);
    const V wrong = hn::MulAdd(e, relative, hn::MulAdd(rounding, relative, rounding));
    const V rest = hn::Max(hn::NegMulAdd(hn::Set(d, m.base), e, wrong), hn::Zero(d));
    hn::StoreU(rest, d, rest_out + t);
    sum_rest = hn::Add(sum_rest, rest);

    V variance = hn::MulAdd(hn::Mul(hn::Set(d, m.dot_variance), size), size, hn::Set(d, m.exp_variance));
    variance = hn::MulAdd(slack, slack, variance);
    variance = hn::MulAdd(hn::Mul(scalar, scalar), hn::Set(d, 1.0 / 3), variance);
    const V e2 = hn::Mul(e, e);
    const V subnormal = hn::IfThenElseZero(hn::Lt(e, hn::Set(d, m.p_smallest)), hn::Set(d, m.p_floor * m.p_floor / 3));
    const V rounded = hn::Max(hn::Mul(hn::Set(d, m.p_variance), e2), subnormal);
    const V of_rounding = hn::IfThenElse(hn::Lt(e, hn::Set(d, m.p_floor)), e2, rounded);
    const V spread = hn::IfThenElseZero(seen, hn::MulAdd(e2, variance, of_rounding));
    hn::StoreU(spread, d, spread_out + t);
    sum_spread = hn::Add(sum_spread, spread);
  }
  TileSums sums;
  sums.e = hn::GetLane(hn::SumOfLanes(d, sum_e));
  sums.e2 = hn::GetLane(hn::SumOfLanes(d, sum_e2));
  sums.rest = hn::GetLane(hn::SumOfLanes(d, sum_rest));
  sums.spread = hn::GetLane(hn::SumOfLanes(d, sum_spread));
  return sums;
}

ScoreStats ScaleScores(double* HWY_RESTRICT scores, std::size_t count, double scale) {
  const D d;
  const V inf = hn::Set(d, std::numeric_limits<double>::infinity());
  V top = hn::Neg(inf), size = hn::Zero(d), odd = hn::Zero(d);
  for (std::size_t t = 0; t < count; t += kLanes) {
    const auto inside = hn::FirstN(d, count - t);
    const V s = hn::Mul(hn::MaskedLoad(inside, d, scores + t), hn::Set(d, scale));
    hn::BlendedStore(s, inside, d, scores + t);
    // NaN is not below infinity either.
    odd = hn::IfThenElse(hn::And(inside, hn::Not(hn::Lt(s, inf))), hn::Set(d, 1.0), odd);
    const auto finite = hn::And(inside, hn::Lt(hn::Abs(s), inf));
    size = hn::Max(size, hn::IfThenElseZero(finite, hn::Abs(s)));
    top = hn::IfThenElse(hn::And(inside, hn::Gt(s, top)), s, top);
  }
  return {hn::GetLane(hn::MaxOfLanes(d, top)), hn::GetLane(hn::MaxOfLanes(d, size)),
          hn::GetLane(hn::MaxOfLanes(d, odd)) != 0};
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::reference
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::reference {

HWY_EXPORT(WeighTile);
HWY_EXPORT(ScaleScores);

double WeightModel::shift(double score, double k_norm) const {
  return dot_worst * q_size * (k_norm + k_smallest) +
         (kScoreRoundings + 2 * kDifferenceRoundings + kMaximumRoundings) * std::fabs(score);
}

WeightModel weight_model(const RoundingModel& m, double scale, std::uint32_t dim, double q_norm, double q_slack,
                         double max, double size, double largest_k, std::int64_t length) {
  WeightModel w;
  w.max = max;
  w.size = size;
  w.q_size = std::fabs(scale) * (q_norm + m.q_smallest);
  w.k_smallest = m.k_smallest;
  w.slack_q = std::fabs(scale) * q_slack;
  w.slack_k = std::fabs(scale) * q_norm;
  const double steps = std::ceil(static_cast<double>(dim) / m.steps);
  // Truncating: every step may lose a grid unit of each product, of the carried sum and of the result. To nearest: one
  // rounding a step, and one for products that are not exact in fp32.
  const double terms = m.truncates ? 2 * steps + dim : steps + 1;
  w.dot_worst = terms * m.grid;
  w.dot_variance = terms * m.grid * m.grid / 3;
  // A weight is rescaled once a tile at most, and in up to three merges.
  w.weight_error = (static_cast<double>(length) / m.tile_tokens + 4) * (m.exp_error + 4 * kFp32);
  w.exp_variance = m.exp_error * m.exp_error;
  w.p_error = std::pow(1 + m.p_unit, m.p_roundings) - 1;
  w.p_variance = m.p_roundings * m.p_unit * m.p_unit / 3;
  w.p_floor = m.p_floor;
  w.p_smallest = m.p_smallest;
  const double dot = w.q_size * (largest_k + w.k_smallest), slack = w.slack_q * largest_k;
  const double scalar = (kScoreRoundings + 2 * kDifferenceRoundings + kMaximumRoundings) * size;
  w.score_variance = w.dot_variance * dot * dot + slack * slack + scalar * scalar / 3 + w.exp_variance;
  // Where shifts of the scores are small beside the rounding of P, all weights get the largest shift, which costs
  // little sharpness and saves a contraction; else `base` is what an unshifted weight has, and `rest` its own shift.
  const double shift = std::min(w.shift(size, largest_k) + w.slack_q * largest_k, kLargestShift);
  const double relative = std::expm1(shift) + w.weight_error * std::exp(shift) + 0x1p-50;
  const bool small = relative < w.p_error / 4;
  const double common = small ? relative : w.weight_error;
  w.base = (1 + 1e-9) * (w.p_error * (1 + common) + common);
  return w;
}

TileSums weigh_tile(const WeightModel& model, const double* scores, const double* k_norm, const double* k_gap,
                    std::size_t count, double* e, double* rest, double* spread) {
  return HWY_DYNAMIC_DISPATCH(WeighTile)(model, scores, k_norm, k_gap, count, e, rest, spread);
}

ScoreStats scale_scores(double* scores, std::size_t count, double scale) {
  return HWY_DYNAMIC_DISPATCH(ScaleScores)(scores, count, scale);
}

}  // namespace xqacheck::reference
#endif  // HWY_ONCE
