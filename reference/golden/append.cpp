#include "reference/golden/append.hpp"

#include <algorithm>
#include <cmath>

#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {
namespace {

// Bias, two products, a sum, and the division by the cache scale (as a product with its reciprocal): at most 7 fp32
// roundings of 2^-24 each; one more for a cos/sin product formed in another order.
constexpr double kRotationError = 8 * 0x1p-24;

struct Number {
  double value = 0;
  double slack = 0;  // |kernel's number - value| before any rounding to a storage format
};

// Channel `channel` of a head after bias and rotation; `head` holds it before rotation, bias added.
Number rotated(const xqacheck_problem& p, const double* head, std::uint32_t channel, std::int64_t position) {
  if (p.rope_kind == XQACHECK_ROPE_NONE || channel >= p.rotary_dim) {
    const double slack = p.qkv_bias.data != nullptr ? kRotationError * std::fabs(head[channel]) : 0;
    return {head[channel], slack};
  }
  const std::uint32_t half = p.rotary_dim / 2;
  const bool neox = p.rope_kind == XQACHECK_ROPE_NEOX;
  const std::uint32_t pair = neox ? channel % half : channel / 2;
  const bool second = neox ? channel >= half : channel % 2 == 1;
  const double x = head[neox ? pair : 2 * pair], y = head[neox ? pair + half : 2 * pair + 1];
  const std::int64_t entry = position * p.rotary_dim + 2 * std::int64_t{pair};
  const double c = number_at(p.rope_table, "rope_table", entry), s = number_at(p.rope_table, "rope_table", entry + 1);
  const double size = second ? std::fabs(x * s) + std::fabs(y * c) : std::fabs(x * c) + std::fabs(y * s);
  return {second ? x * s + y * c : x * c - y * s, kRotationError * size};
}

// Reads `count` channels from element `first` of `tensor` and adds the bias that starts at element `bias` of qkv_bias.
void read_biased(const xqacheck_problem& p, const xqacheck_tensor& tensor, const char* name, std::int64_t first,
                 std::uint32_t count, std::int64_t bias, std::vector<double>& out) {
  out.resize(count);
  const std::byte* data = elements(tensor, name, first, count);
  for (std::uint32_t d = 0; d < count; ++d) {
    out[d] = element(data + d * std::size_t{bytes_of(tensor.dtype)}, tensor.dtype);
    if (p.qkv_bias.data != nullptr) out[d] += number_at(p.qkv_bias, "qkv_bias", bias + d);
  }
}

// What rounding of x may give when x is known only up to `slack`: largest distance from rounded(x).
double rounding_gap(const NumberFormat& format, double x, double slack) {
  if (slack == 0 || !std::isfinite(x)) return 0;
  const double y = rounded(format, x);
  return std::max(std::fabs(rounded(format, x + slack) - y), std::fabs(rounded(format, x - slack) - y));
}

}  // namespace

Queries make_queries(const xqacheck_problem& p, const Sight& sight, std::uint32_t q_format) {
  const std::uint32_t dim = p.head_dim;
  Queries q;
  q.values.resize(std::size_t{p.total_rows} * p.q_heads * dim);
  q.norm.resize(std::size_t{p.total_rows} * p.q_heads);
  q.slack.resize(q.norm.size());
  const bool converts = q_format != XQACHECK_NONE && q_format != p.q.dtype;
  const bool rounds = q_format != XQACHECK_NONE && q_format == p.q.dtype;  // G11: golden keeps q, the slack admits it
  const NumberFormat format = format_of(q_format);
  std::vector<double> head;
  for (const Sequence& s : sight.sequences()) {
    for (std::uint32_t i = 0; i < s.rows; ++i) {
      const std::int64_t position = s.drafts_begin() + sight.depth(s, i);
      for (std::uint32_t h = 0; h < p.q_heads; ++h) {
        const std::uint64_t row = s.first_row + i, index = row * p.q_heads + h;
        read_biased(p, p.q, "q", static_cast<std::int64_t>(row) * p.q_stride_row + h * p.q_stride_head, dim,
                    std::int64_t{h} * dim, head);
        double square = 0, gap_square = 0;
        for (std::uint32_t d = 0; d < dim; ++d) {
          // An empty request has no position; its rows see nothing, so their q does not matter.
          Number x = s.length == 0 ? Number{head[d], 0} : rotated(p, head.data(), d, position);
          double gap = x.slack;
          if (converts) {
            gap = rounding_gap(format, x.value, x.slack);
            x.value = rounded(format, x.value);
          } else if (rounds && x.slack > 0) {
            gap += spacing(format, x.value) / 2;
          }
          q.values[index * dim + d] = x.value;
          square += x.value * x.value;
          gap_square += gap * gap;
        }
        q.norm[index] = std::sqrt(square);
        q.slack[index] = std::sqrt(gap_square);
      }
    }
  }
  return q;
}

Appended make_appended(const xqacheck_problem& p, const Sight& sight) {
  Appended a;
  if (p.k_new.data == nullptr) return a;
  const bool has_v = p.kv_aliased == 0;
  const std::size_t heads = std::size_t{p.total_rows} * p.kv_heads;
  a.k.resize(heads * p.head_dim);
  a.k_exact.resize(a.k.size());
  a.k_slack.resize(a.k.size());
  a.v.resize(has_v ? heads * p.head_dim_v : 0);
  a.v_exact.resize(a.v.size());
  a.v_slack.resize(a.v.size());
  a.k_gap.resize(heads);
  a.v_gap.resize(heads);
  const NumberFormat cache = format_of(p.k.dtype);
  // A kernel may round to q's 16-bit type on the way to an 8-bit cache.
  const double on_the_way = bytes_of(p.k.dtype) == 1 ? std::ldexp(1.0, -format_of(p.q.dtype).bits) : 0;
  const double k_scale = value_of(p.k_scale), v_scale = value_of(p.v_scale);
  const std::int64_t k_bias = std::int64_t{p.q_heads} * p.head_dim;
  const std::int64_t v_bias = k_bias + std::int64_t{p.kv_heads} * p.head_dim;
  std::vector<double> head;
  for (const Sequence& s : sight.sequences()) {
    if (s.length == 0) continue;
    for (std::uint32_t i = 0; i < s.rows; ++i) {
      const std::int64_t position = s.drafts_begin() + sight.depth(s, i);
      for (std::uint32_t g = 0; g < p.kv_heads; ++g) {
        const auto index = static_cast<std::int64_t>((s.first_row + i) * p.kv_heads + g);
        read_biased(p, p.k_new, "k_new", index * p.head_dim, p.head_dim, k_bias + std::int64_t{g} * p.head_dim, head);
        double gap_square = 0;
        for (std::uint32_t d = 0; d < p.head_dim; ++d) {
          const std::size_t at = static_cast<std::size_t>(index) * p.head_dim + d;
          const Number x = rotated(p, head.data(), d, position);
          a.k_exact[at] = x.value / k_scale;
          a.k_slack[at] = x.slack / std::fabs(k_scale) + (kRotationError + on_the_way) * std::fabs(a.k_exact[at]);
          a.k[at] = rounded(cache, a.k_exact[at]);
          const double gap = rounding_gap(cache, a.k_exact[at], a.k_slack[at]);
          gap_square += gap * gap;
        }
        a.k_gap[static_cast<std::size_t>(index)] = std::sqrt(gap_square);
        if (!has_v) continue;
        read_biased(p, p.v_new, "v_new", index * p.head_dim_v, p.head_dim_v, v_bias + std::int64_t{g} * p.head_dim_v,
                    head);
        double most = 0;
        for (std::uint32_t d = 0; d < p.head_dim_v; ++d) {
          const std::size_t at = static_cast<std::size_t>(index) * p.head_dim_v + d;
          a.v_exact[at] = head[d] / v_scale;
          a.v_slack[at] = (kRotationError + on_the_way) * std::fabs(a.v_exact[at]);
          a.v[at] = rounded(cache, a.v_exact[at]);
          most = std::max(most, rounding_gap(cache, a.v_exact[at], a.v_slack[at]));
        }
        a.v_gap[static_cast<std::size_t>(index)] = most;
      }
    }
  }
  if (!has_v) a.v_gap = a.k_gap;  // the norm bounds every channel
  return a;
}

}  // namespace xqacheck::reference
