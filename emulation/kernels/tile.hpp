// One 64-token tile of a thread block, as both families work on it: K and V, scores, masks, probabilities, row sums.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/kernels/constants.hpp"
#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/recipe.hpp"

namespace xqacheck::emulation {

// Tokens of V and K that a tile reads. The mma.sync kernel fills rows past the sequence with zeros; the wgmma kernel really
// reads what is left of the last page, and zeros only past it.
inline std::uint32_t readable_tokens(const Call& call, const Recipe& recipe, const Block& block, std::uint32_t first) {
  std::uint32_t end = block.seq_len;
  if (recipe.family == Family::gmma && call.problem.page_tokens > 0) {
    end = (end + call.problem.page_tokens - 1) / call.problem.page_tokens * call.problem.page_tokens;
  }
  return first >= end ? 0 : end - first < kTile ? end - first : kTile;
}

// K tile [kTile][operand_dim]: tokens from `count` on are zeros.
template <class A>
void load_k_tile(const A& a, const Call& call, const Block& block, std::uint32_t beam, std::uint32_t first, std::uint32_t count,
                 typename A::Element* tile) {
  for (std::uint32_t t = 0; t < kTile; ++t) {
    a.load_k(t < count ? call.k_offset(block.request, beam, block.kv_head, first + t) : Call::kNowhere, tile + t * a.operand_dim());
  }
}

// V tile [kTile][dim].
template <class A>
void load_v_tile(const A& a, const Call& call, const Block& block, std::uint32_t beam, std::uint32_t first, std::uint32_t count,
                 typename A::Element* tile) {
  for (std::uint32_t t = 0; t < kTile; ++t) {
    a.load_v(t < count ? call.v_offset(block.request, beam, block.kv_head, first + t) : Call::kNowhere, tile + t * call.dim);
  }
}

// Scores of a row, in place: scale, then the masking constant where the row may not look.
template <class A>
void scale_and_mask(const A& a, const Call& call, const Recipe& recipe, const Block& block, const Row& row, std::uint32_t first,
                    typename A::Real* scores) {
  using Real = typename A::Real;
  const Real masked = (call.draft ? recipe.mask_draft : recipe.mask_decode) == MaskValue::lowest ? kLowest : kSafeRowMax;
  a.mul_row(Rounding::score, scores, kTile, a.score_scale());
  if (first >= row.begin && first + kTile <= row.dense_end) return;
  for (std::uint32_t t = 0; t < kTile; ++t) {
    if (!visible(call, block, row, first + t)) scores[t] = masked;
  }
}

// p = exp(score - maximum), in place of the scores.
template <class A>
void probabilities(const A& a, const Recipe& recipe, typename A::Real maximum, typename A::Real* scores) {
  using Real = typename A::Real;
  const Real log2e = a.log2e(Rounding::score);
  if (recipe.exp_form == ExpForm::fma) {
    a.fma_row(Rounding::score, scores, kTile, log2e, -a.mul(Rounding::score, maximum, log2e));
  } else {
    a.sub_row(Rounding::score, scores, kTile, maximum);
    a.mul_row(Rounding::score, scores, kTile, log2e);
  }
  a.ex2_row(scores, kTile);
}

// Row sum of 64 values in f32, in the order of the recipe. `strips` leaves one value for every 16 tokens (parts = 4), the
// others one for the tile.
template <class A>
std::uint32_t row_sums(const A& a, RowSumOrder order, const typename A::Real* p, typename A::Real* parts) {
  using Real = typename A::Real;
  const auto add = [&](Real x, Real y) { return a.add(Rounding::row_sum, x, y); };
  if (order == RowSumOrder::strips) {
    for (std::uint32_t strip = 0; strip < 4; ++strip) {
      const Real* s = p + 16 * strip;
      Real b[4];
      for (std::uint32_t j = 0; j < 4; ++j) b[j] = add(add(s[j], s[j + 8]), add(s[j + 4], s[j + 12]));
      parts[strip] = add(add(b[0], b[2]), add(b[1], b[3]));
    }
    return 4;
  }
  if (order == RowSumOrder::quads) {
    Real t[4] = {0, 0, 0, 0};
    for (std::uint32_t n = 0; n < 8; ++n) {
      for (std::uint32_t k = 0; k < 4; ++k) t[k] = add(add(t[k], p[8 * n + 2 * k]), p[8 * n + 2 * k + 1]);
    }
    parts[0] = add(add(t[0], t[2]), add(t[1], t[3]));
    return 1;
  }
  parts[0] = 0;
  for (std::uint32_t t = 0; t < kTile; ++t) parts[0] = add(parts[0], p[t]);
  return 1;
}

}  // namespace xqacheck::emulation
