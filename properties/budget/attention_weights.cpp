#include "properties/budget/attention_weights.hpp"

#include <algorithm>
#include <cmath>

#include "emulation/kernels/emulate.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"
#include "emulation/kernels/tile.hpp"

namespace xqacheck::properties::budget {
namespace {

using namespace emulation;

// Scores and weights of one row: visible tokens only.
struct RowWeights {
  std::vector<float> scores;   // of the recipe, masked ones left as they are
  std::vector<double> real;    // of the real inputs
  std::vector<std::uint8_t> seen;
};

// In eight sums, which a compiler can keep in vectors; count is a multiple of 16.
double product(const float* a, const float* b, std::uint32_t count) {
  double sums[8] = {};
  for (std::uint32_t i = 0; i < count; i += 8)
    for (std::uint32_t j = 0; j < 8; ++j) sums[j] += double{a[i + j]} * double{b[i + j]};
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

WeightError compare(const RowWeights& row, const std::vector<double>& used) {
  WeightError e;
  double top = -HUGE_VAL, sum_used = 0, sum_real = 0;
  std::size_t best_score = 0, best_real = 0;
  double best = -HUGE_VAL;
  for (std::size_t t = 0; t < row.seen.size(); ++t) {
    if (row.seen[t] == 0) continue;
    const double error = std::fabs(double{row.scores[t]} - row.real[t]);
    e.score_square += error * error, e.score_max = std::max(e.score_max, error), ++e.tokens;
    if (row.real[t] > top) top = row.real[t], best_real = t;
    if (row.scores[t] > best) best = row.scores[t], best_score = t;
    sum_used += used[t];
  }
  for (std::size_t t = 0; t < row.seen.size(); ++t)
    if (row.seen[t] != 0) sum_real += std::exp(row.real[t] - top);
  if (e.tokens == 0 || !(sum_used > 0)) return e;
  for (std::size_t t = 0; t < row.seen.size(); ++t)
    if (row.seen[t] != 0) e.distance += std::fabs(used[t] / sum_used - std::exp(row.real[t] - top) / sum_real) / 2;
  e.top_differs = best_score != best_real;
  return e;
}

// P of the recipe for all tokens of a row, as the second product sees it.
template <class A>
std::vector<double> used_weights(const A& a, const Recipe& recipe, const RowWeights& row) {
  float maximum = kLowest;
  for (std::size_t t = 0; t < row.seen.size(); ++t)
    if (row.seen[t] != 0) maximum = std::max(maximum, row.scores[t]);
  std::vector<double> used(row.seen.size());
  for (std::size_t first = 0; first < used.size(); first += kTile) {
    float p[kTile];
    typename A::Element rounded[kTile];
    std::copy_n(row.scores.data() + first, kTile, p);
    probabilities(a, recipe, maximum, p);
    a.mul_row(Rounding::p, p, kTile, recipe.p_scale);
    a.round_p(p, kTile, rounded);
    for (std::size_t t = 0; t < kTile; ++t) used[first + t] = double{a.value_of(rounded[t])} / double{recipe.p_scale};
  }
  return used;
}

template <class A>
std::vector<WeightError> errors(const A& a, const Recipe& recipe, const Call& call, const Observation& o,
                                const RealCache& cache) {
  std::vector<WeightError> result(o.lines());
  const double scale = double{call.q_scale} / std::sqrt(static_cast<double>(call.dim));
  for (const Block& block : make_blocks(recipe, call)) {
    const auto count = static_cast<std::uint32_t>(block.rows.size());
    if (count == 0 || block.seq_len == 0) continue;
    const std::size_t padded = (std::size_t{block.seq_len} + kTile - 1) / kTile * kTile;
    std::vector<RowWeights> rows(count);
    std::vector<typename A::Element> q(std::size_t{count} * a.operand_dim()), k(std::size_t{kTile} * a.operand_dim());
    std::vector<float> scores(std::size_t{count} * kTile), q_values(std::size_t{count} * call.dim);
    for (std::uint32_t r = 0; r < count; ++r) {
      const std::int64_t offset = call.q_offset(block.rows[r].q_row, block.rows[r].q_head);
      a.load_q(offset, q.data() + std::size_t{r} * a.operand_dim());
      for (std::uint32_t d = 0; d < call.dim; ++d)
        q_values[std::size_t{r} * call.dim + d] =
            half_value(call.half, static_cast<const std::uint16_t*>(call.problem.q.data)[offset + d]);
      rows[r] = {std::vector<float>(padded), std::vector<double>(padded), std::vector<std::uint8_t>(padded)};
    }
    const auto queries = a.make_queries(count, q.data());
    for (std::uint32_t first = 0; first < block.seq_len; first += kTile) {
      const std::uint32_t tokens = std::min(kTile, block.seq_len - first);
      load_k_tile(a, call, block, 0, first, tokens, k.data());
      a.first_product(queries, k.data(), scores.data());
      for (std::uint32_t r = 0; r < count; ++r) {
        float* const line = scores.data() + std::size_t{r} * kTile;
        scale_and_mask(a, call, recipe, block, block.rows[r], first, line);
        std::copy_n(line, kTile, rows[r].scores.data() + first);
      }
      for (std::uint32_t t = first; t < first + tokens; ++t) {
        const float* const key = cache.k().data() + call.k_offset(block.request, 0, block.kv_head, t);
        for (std::uint32_t r = 0; r < count; ++r) {
          if (!visible(call, block, block.rows[r], t)) continue;
          const float* const query = q_values.data() + std::size_t{r} * call.dim;
          rows[r].seen[t] = 1, rows[r].real[t] = product(query, key, call.dim) * scale;
        }
      }
    }
    for (std::uint32_t r = 0; r < count; ++r)
      result[std::size_t{block.rows[r].q_row} * o.heads() + block.rows[r].q_head] =
          compare(rows[r], used_weights(a, recipe, rows[r]));
  }
  return result;
}

}  // namespace

std::vector<WeightError> weight_errors(const Recipe& recipe, const Observation& o, const RealCache& cache) {
  check_recipe(recipe, o.view);
  const Call call(o.view);
  if (e4m3_operands(recipe, call)) return errors(E4m3Arithmetic(recipe, call), recipe, call, o, cache);
  return errors(HalfArithmetic(recipe, call), recipe, call, o, cache);
}

}  // namespace xqacheck::properties::budget
