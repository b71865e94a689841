#include "kernels/flash32/inputs.hpp"

#include "kernels/flash32/plan.hpp"

namespace xqacheck::kernels::flash32 {
namespace {

void add_bias(const xqacheck_problem& p, std::uint64_t offset, std::uint32_t count, float* channels) {
  if (p.qkv_bias.dtype == XQACHECK_NONE) return;
  for (std::uint32_t i = 0; i < count; ++i) channels[i] += pointer<float>(p.qkv_bias)[offset + i];
}

// Rotates the first rotary_dim channels of q or k of query row `row` by the angles of its position.
void rotate(const xqacheck_problem& p, const Sequence& s, std::uint32_t row, float* channels) {
  if (p.rope_kind == XQACHECK_ROPE_NONE) return;
  const std::int64_t position = s.length - s.rows + depth_of(p, s, row);
  const float* table = pointer<float>(p.rope_table) + position * p.rotary_dim;
  const std::uint32_t pairs = p.rotary_dim / 2;
  for (std::uint32_t j = 0; j < pairs; ++j) {
    const bool neox = p.rope_kind == XQACHECK_ROPE_NEOX;
    float& x = channels[neox ? j : 2 * j];
    float& y = channels[neox ? j + pairs : 2 * j + 1];
    const float cosine = table[2 * j], sine = table[2 * j + 1], x_before = x;
    x = x_before * cosine - y * sine;
    y = x_before * sine + y * cosine;
  }
}

void store(const float* channels, std::uint32_t count, float scale, const xqacheck_tensor& cache, std::int64_t index) {
  for (std::uint32_t i = 0; i < count; ++i) encode(channels[i] / scale, cache.dtype, cache.data, index + i);
}

}  // namespace

void load_queries(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, float* queries) {
  const std::uint32_t group = p.q_heads / p.kv_heads;
  for (std::uint32_t row = 0; row < s.rows; ++row)
    for (std::uint32_t head = kv_head * group; head < (kv_head + 1) * group; ++head, queries += p.head_dim) {
      const std::int64_t index = (s.first_row + row) * p.q_stride_row + head * p.q_stride_head;
      decode(p.q.data, p.q.dtype, index, p.head_dim, queries);
      add_bias(p, std::uint64_t{head} * p.head_dim, p.head_dim, queries);
      rotate(p, s, row, queries);
    }
}

void append_tokens(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head) {
  if (p.k_new.dtype == XQACHECK_NONE) return;
  const std::uint64_t k_bias = std::uint64_t{p.q_heads} * p.head_dim,
                      v_bias = k_bias + std::uint64_t{p.kv_heads} * p.head_dim;
  float channels[kMaxHeadDim];
  for (std::uint32_t row = 0; row < s.rows; ++row) {
    const std::int64_t token = s.length - s.rows + row, source = std::int64_t{s.first_row + row} * p.kv_heads + kv_head;
    decode(p.k_new.data, p.k_new.dtype, source * p.head_dim, p.head_dim, channels);
    add_bias(p, k_bias + std::uint64_t{kv_head} * p.head_dim, p.head_dim, channels);
    rotate(p, s, row, channels);
    store(channels, p.head_dim, value_of(p.k_scale), p.k, cache_index(p, s, kv_head, token, k_strides(p)));
    if (p.kv_aliased != 0) continue;  // V is part of what was just stored
    decode(p.v_new.data, p.v_new.dtype, source * p.head_dim_v, p.head_dim_v, channels);
    add_bias(p, v_bias + std::uint64_t{kv_head} * p.head_dim_v, p.head_dim_v, channels);
    store(channels, p.head_dim_v, value_of(p.v_scale), p.v, cache_index(p, s, kv_head, token, v_strides(p)));
  }
}

}  // namespace xqacheck::kernels::flash32
