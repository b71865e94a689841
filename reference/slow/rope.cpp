#include "reference/slow/rope.hpp"

#include "reference/slow/numbers.hpp"

namespace xqacheck::reference::slow {
namespace {

// Offsets of the three parts of qkv_bias.
std::int64_t bias_of_q(const xqacheck_problem& p, std::uint32_t head) {
  return std::int64_t{head} * p.head_dim;
}
std::int64_t bias_of_k(const xqacheck_problem& p, std::uint32_t kv_head) {
  return bias_of_q(p, p.q_heads + kv_head);
}
std::int64_t bias_of_v(const xqacheck_problem& p, std::uint32_t kv_head) {
  return bias_of_q(p, p.q_heads + p.kv_heads) + std::int64_t{kv_head} * p.head_dim_v;
}

Vector with_bias(const xqacheck_problem& p, Vector x, std::int64_t first) {
  if (!present(p.qkv_bias)) return x;
  for (std::size_t d = 0; d < x.size(); ++d)
    x[d] += element(p.qkv_bias, first + static_cast<std::int64_t>(d), "qkv_bias");
  return x;
}

Vector stored(const xqacheck_tensor& tensor, std::int64_t first, std::uint32_t count, const char* name) {
  Vector x(count);
  for (std::uint32_t d = 0; d < count; ++d) x[d] = element(tensor, first + d, name);
  return x;
}

Vector quantised(Vector x, std::uint32_t dtype, long double cache_scale) {
  for (long double& value : x) value = round_to(dtype, value / cache_scale);
  return x;
}

}  // namespace

std::int64_t position_of(const xqacheck_problem& p, const Row& row) {
  return sequence_length(p, row.request) - row.drafts + depth(p, row);
}

Vector rotated(const xqacheck_problem& p, Vector x, std::int64_t position) {
  if (p.rope_kind == XQACHECK_ROPE_NONE) return x;
  const std::uint32_t pairs = p.rotary_dim / 2;
  for (std::uint32_t j = 0; j < pairs; ++j) {
    const std::int64_t entry = position * p.rotary_dim + 2 * std::int64_t{j};
    const long double cosine = element(p.rope_table, entry, "rope_table");
    const long double sine = element(p.rope_table, entry + 1, "rope_table");
    const std::uint32_t first = p.rope_kind == XQACHECK_ROPE_NEOX ? j : 2 * j;
    const std::uint32_t second = p.rope_kind == XQACHECK_ROPE_NEOX ? j + pairs : 2 * j + 1;
    const long double a = x[first], b = x[second];
    x[first] = a * cosine - b * sine;
    x[second] = a * sine + b * cosine;
  }
  return x;
}

Vector query(const xqacheck_problem& p, const Row& row, std::uint32_t head, std::uint32_t q_format) {
  Vector q = stored(p.q, row.index * p.q_stride_row + head * p.q_stride_head, p.head_dim, "q");
  q = rotated(p, with_bias(p, q, bias_of_q(p, head)), position_of(p, row));
  if (q_format != XQACHECK_NONE && q_format != p.q.dtype) {  // G11
    for (long double& x : q) x = round_to(q_format, x);
  }
  return q;
}

Vector appended_key(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head) {
  const std::int64_t first = (std::int64_t{row.index} * p.kv_heads + kv_head) * p.head_dim;
  const Vector k = with_bias(p, stored(p.k_new, first, p.head_dim, "k_new"), bias_of_k(p, kv_head));
  return quantised(rotated(p, k, position_of(p, row)), p.k.dtype, scale(p.k_scale));
}

Vector appended_value(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head) {
  const std::int64_t first = (std::int64_t{row.index} * p.kv_heads + kv_head) * p.head_dim_v;
  const Vector v = with_bias(p, stored(p.v_new, first, p.head_dim_v, "v_new"), bias_of_v(p, kv_head));
  return quantised(v, p.v.dtype, scale(p.v_scale));
}

}  // namespace xqacheck::reference::slow
