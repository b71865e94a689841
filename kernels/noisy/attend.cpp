#include "kernels/noisy/attend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/flash32/inputs.hpp"

namespace xqacheck::kernels::noisy {
namespace {

using flash32::Sequence;
using flash32::value_of;

constexpr float kMinusInf = -std::numeric_limits<float>::infinity();

// Scratch: queries [rows of the group][D], K tile [64][D], V tile [64][Dv], and one row's state: accumulator [Dv],
// merged output [Dv].
struct Scratch {
  float *queries, *k, *v, *accumulator, *merged;
  Scratch(const xqacheck_problem& p, float* floats)
      : queries(floats),
        k(queries + std::uint64_t{p.max_rows} * (p.q_heads / p.kv_heads) * p.head_dim),
        v(k + std::uint64_t{kTileTokens} * p.head_dim),
        accumulator(v + std::uint64_t{kTileTokens} * p.head_dim_v),
        merged(accumulator + p.head_dim_v) {}
};

struct RowState {
  float m = kMinusInf, sum = 0;
};

class Attention {
 public:
  Attention(const Arithmetic& x, const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, float* scratch)
      : x_(x),
        p_(p),
        s_(s),
        kv_head_(kv_head),
        at_(p, scratch),
        group_(p.q_heads / p.kv_heads),
        k_dtype_(p.k.dtype),
        v_dtype_(p.kv_aliased != 0 ? p.k.dtype : p.v.dtype),
        q_dtype_(x.q_format != XQACHECK_NONE ? x.q_format : p.q.dtype),
        partial_dtype_(x.partial_format != XQACHECK_NONE ? x.partial_format : p.q.dtype),
        scale_(value_of(p.q_scale) * value_of(p.k_scale) / std::sqrt(static_cast<float>(p.head_dim))),
        out_scale_(value_of(p.v_scale) * value_of(p.rcp_out_scale)) {}

  void run(std::uint32_t splits) {
    flash32::load_queries(p_, s_, kv_head_, at_.queries);
    for (std::uint64_t i = 0; i < std::uint64_t{s_.rows} * group_ * p_.head_dim && x_.q_format != XQACHECK_NONE; ++i)
      at_.queries[i] = rounded(at_.queries[i], x_.q_format);
    for (std::uint32_t r = 0; r < s_.rows * group_; ++r) row(r, splits);
  }

 private:
  void row(std::uint32_t r, std::uint32_t splits) {
    const std::int64_t tiles = (s_.length + kTileTokens - 1) / kTileTokens;
    RowState total;
    std::fill_n(at_.merged, p_.head_dim_v, 0.0f);
    for (std::uint32_t split = 0; split < splits; ++split) {
      RowState state;
      std::fill_n(at_.accumulator, p_.head_dim_v, 0.0f);
      if (x_.strided_splits) {
        for (std::int64_t t = split; t < tiles; t += splits) tile(r, t * kTileTokens, state);
      } else {
        for (std::int64_t t = tiles * split / splits; t < tiles * (split + 1) / splits; ++t)
          tile(r, t * kTileTokens, state);
      }
      merge(state, total, splits > 1);
    }
    finish(r, total);
  }

  // Adds the partial result of a split, normalised and rounded to the partial format where there are several.
  void merge(const RowState& state, RowState& total, bool several) {
    if (!(state.sum != 0)) return;  // nothing seen, or only weights of 0
    const float normal = out_scale_ / state.sum / x_.p_scale;
    const float m = std::fmax(total.m, state.m);
    const float old_share = total.sum == 0 ? 0 : std::exp(total.m - m);
    const float share = std::exp(state.m - m) * state.sum;
    for (std::uint32_t d = 0; d < p_.head_dim_v; ++d) {
      const float partial = at_.accumulator[d] * normal;
      at_.merged[d] = at_.merged[d] * old_share + share * (several ? rounded(partial, partial_dtype_) : partial);
    }
    total.sum = total.sum * old_share + share;
    total.m = m;
  }

  void tile(std::uint32_t r, std::int64_t first, RowState& state) {
    const auto count = static_cast<std::uint32_t>(std::min<std::int64_t>(kTileTokens, s_.length - first));
    std::uint32_t seen[kTileTokens], n = 0;  // visible tokens of the tile: what is not seen is not read
    for (std::uint32_t t = 0; t < count; ++t)
      if (flash32::visible(p_, s_, r / group_, first + t)) seen[n++] = t;
    if (n == 0) return;
    float p[kTileTokens], plain[kTileTokens];
    const float* q = at_.queries + std::uint64_t{r} * p_.head_dim;
    float tile_max = kMinusInf;
    for (std::uint32_t i = 0; i < n; ++i) {
      flash32::decode(p_.k.data, k_dtype_,
                      flash32::cache_index(p_, s_, kv_head_, first + seen[i], flash32::k_strides(p_)), p_.head_dim,
                      at_.k);
      flash32::decode(v_tensor().data, v_dtype_,
                      flash32::cache_index(p_, s_, kv_head_, first + seen[i], flash32::v_strides(p_)), p_.head_dim_v,
                      at_.v + std::uint64_t{i} * p_.head_dim_v);
      p[i] = add_products(x_, 0, q, q_dtype_, at_.k, k_dtype_, 1, p_.head_dim) * scale_;
      if (p[i] > tile_max) tile_max = p[i];
    }
    const float old = state.m;
    state.m = std::fmax(state.m, tile_max);
    // The first number that is not -inf starts the row; before, there is nothing to rescale.
    if (old != state.m && old != kMinusInf) {
      const float factor = std::exp(old - state.m);
      state.sum *= factor;
      for (std::uint32_t d = 0; d < p_.head_dim_v; ++d) at_.accumulator[d] *= factor;
    }
    const float reference = x_.rescales_p ? tile_max : state.m;
    for (std::uint32_t i = 0; i < n; ++i) {
      plain[i] = std::exp(p[i] - (reference == kMinusInf ? 0.0f : reference));
      p[i] = rounded(plain[i] * x_.p_scale, x_.p_format);
    }
    float ones[kTileTokens];
    std::fill_n(ones, kTileTokens, 1.0f);
    float sum = 0;
    if (x_.sum_of_rounded) {
      sum = add_products(x_, 0, p, x_.p_format, ones, x_.p_format, 1, n) / x_.p_scale;
    } else {
      for (std::uint32_t i = 0; i < n; ++i) sum += plain[i];
    }
    if (x_.rescales_p && tile_max < state.m) {
      const float factor = std::exp(tile_max - state.m);
      sum *= factor;
      for (std::uint32_t i = 0; i < n; ++i) p[i] = rounded(p[i] * rounded(factor, x_.p_format), x_.p_format);
    }
    state.sum += sum;
    for (std::uint32_t d = 0; d < p_.head_dim_v; ++d)
      at_.accumulator[d] = add_products(x_, at_.accumulator[d], p, x_.p_format, at_.v + d, v_dtype_, p_.head_dim_v, n);
  }

  const xqacheck_tensor& v_tensor() const { return p_.kv_aliased != 0 ? p_.k : p_.v; }

  void finish(std::uint32_t r, const RowState& total) {
    const std::uint32_t row = s_.first_row + r / group_, head = kv_head_ * group_ + r % group_;
    const bool has_sink = p_.sinks.dtype != XQACHECK_NONE;
    const float sink = has_sink ? flash32::pointer<float>(p_.sinks)[head] : kMinusInf;
    const bool empty = total.sum == 0;  // NaN is not 0
    float sum = total.sum;
    if (has_sink && !empty) sum += std::exp(sink - total.m);
    const float factor = empty ? 0 : 1 / sum;
    const std::int64_t index = row * p_.out_stride_row + head * p_.out_stride_head;
    for (std::uint32_t d = 0; d < p_.head_dim_v; ++d) {
      float value = at_.merged[d] * factor;
      if (p_.out.dtype == XQACHECK_E4M3) value = rounded(value, p_.q.dtype);
      flash32::encode(value, p_.out.dtype, p_.out.data, index + d);
    }
    if (p_.lse.dtype == XQACHECK_NONE) return;
    const float lse = empty ? sink : total.m + std::log(sum);
    static_cast<float*>(p_.lse.data)[std::uint64_t{row} * p_.q_heads + head] =
        lse * static_cast<float>(1 / std::log(static_cast<double>(p_.lse_base)));
  }

  const Arithmetic& x_;
  const xqacheck_problem& p_;
  const Sequence& s_;
  std::uint32_t kv_head_;
  Scratch at_;
  std::uint32_t group_, k_dtype_, v_dtype_, q_dtype_, partial_dtype_;
  float scale_, out_scale_;
};

}  // namespace

std::uint64_t scratch_floats(const xqacheck_problem& p) {
  return std::uint64_t{p.max_rows} * (p.q_heads / p.kv_heads) * p.head_dim +
         std::uint64_t{kTileTokens} * (p.head_dim + p.head_dim_v) + 2 * std::uint64_t{p.head_dim_v};
}

void attend(const Arithmetic& x, const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head,
            std::uint32_t splits, float* scratch) {
  Attention(x, p, s, kv_head, scratch).run(splits);
}

}  // namespace xqacheck::kernels::noisy
