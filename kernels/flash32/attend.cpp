#include "kernels/flash32/attend.hpp"

#include <cmath>
#include <limits>

#include "kernels/flash32/plan.hpp"

namespace xqacheck::kernels::flash32 {
namespace {

constexpr float kMinusInf = -std::numeric_limits<float>::infinity();

// Sum in 16 interleaved lanes (head_dim is a multiple of 16), then pairwise: fewer roundings than one chain, and the
// compiler may use vector registers without reordering anything.
float dot(const float* a, const float* b, std::uint32_t count) {
  float lanes[16] = {};
  for (std::uint32_t i = 0; i < count; i += 16)
    for (std::uint32_t lane = 0; lane < 16; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  for (std::uint32_t half = 8; half > 0; half /= 2)
    for (std::uint32_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
}

void scale_by(float* values, std::uint32_t count, float factor) {
  for (std::uint32_t i = 0; i < count; ++i) values[i] *= factor;
}

void add_scaled(float* sum, const float* values, std::uint32_t count, float factor) {
  for (std::uint32_t i = 0; i < count; ++i) sum[i] += factor * values[i];
}

}  // namespace

float weight(float value, float m) {
  return std::exp(value - (m == kMinusInf ? 0.0f : m));
}

void attend(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, std::int64_t begin, std::int64_t end,
            const Tile& tile, float* partials, std::uint64_t partial_floats) {
  const std::uint32_t group = p.q_heads / p.kv_heads, group_rows = s.rows * group;
  const float score_scale = value_of(p.q_scale) * value_of(p.k_scale) / std::sqrt(static_cast<float>(p.head_dim));
  const CacheStrides k = k_strides(p), v = v_strides(p);
  const xqacheck_tensor& v_tensor = p.kv_aliased != 0 ? p.k : p.v;
  float channels[kMaxHeadDim];  // one cached token, decoded once for all rows

  for (std::uint32_t r = 0; r < group_rows; ++r) {
    const Partial partial(partials + r * partial_floats);
    partial.m() = kMinusInf;
    partial.sum() = 0;
    for (std::uint32_t d = 0; d < p.head_dim_v; ++d) partial.accumulator()[d] = 0;
  }
  for (std::int64_t first = begin; first < end; first += kTileTokens) {
    const std::uint32_t count = static_cast<std::uint32_t>(std::min<std::int64_t>(kTileTokens, end - first));
    // S = q K^T. An invisible token gets -inf here and is left out below: its bytes are not even read.
    for (std::uint32_t t = 0; t < count; ++t) {
      if (visible_to_any(p, s, first + t))
        decode(p.k.data, p.k.dtype, cache_index(p, s, kv_head, first + t, k), p.head_dim, channels);
      for (std::uint32_t row = 0; row < s.rows; ++row) {
        const bool seen = visible(p, s, row, first + t);
        for (std::uint32_t r = row * group; r < (row + 1) * group; ++r)
          tile.weights[r * kTileTokens + t] =
              seen ? dot(tile.query + std::uint64_t{r} * p.head_dim, channels, p.head_dim) * score_scale : kMinusInf;
      }
    }
    // Online softmax: raise the running maximum, rescale what was summed, turn scores into weights.
    for (std::uint32_t r = 0; r < group_rows; ++r) {
      const Partial partial(partials + r * partial_floats);
      float* weights = tile.weights + r * kTileTokens;
      float m = partial.m();
      for (std::uint32_t t = 0; t < count; ++t) m = weights[t] > m ? weights[t] : m;  // ignores NaN; the sum keeps it
      if (m != partial.m()) {
        const float rescale = weight(partial.m(), m);
        partial.sum() *= rescale;
        scale_by(partial.accumulator(), p.head_dim_v, rescale);
        partial.m() = m;
      }
      for (std::uint32_t t = 0; t < count; ++t) partial.sum() += weights[t] = weight(weights[t], m);
    }
    // O += P V
    for (std::uint32_t t = 0; t < count; ++t) {
      if (!visible_to_any(p, s, first + t)) continue;
      decode(v_tensor.data, v_tensor.dtype, cache_index(p, s, kv_head, first + t, v), p.head_dim_v, channels);
      for (std::uint32_t row = 0; row < s.rows; ++row) {
        if (!visible(p, s, row, first + t)) continue;
        for (std::uint32_t r = row * group; r < (row + 1) * group; ++r)
          add_scaled(Partial(partials + r * partial_floats).accumulator(), channels, p.head_dim_v,
                     tile.weights[r * kTileTokens + t]);
      }
    }
  }
}

}  // namespace xqacheck::kernels::flash32
