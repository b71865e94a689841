#include "reference/slow/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/slow/cache.hpp"

namespace xqacheck::reference::slow {
namespace {

constexpr long double kInf = std::numeric_limits<long double>::infinity();
constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();

std::uint32_t kv_head_of(const xqacheck_problem& p, std::uint32_t head) {
  return head / (p.q_heads / p.kv_heads);
}

bool all_minus_infinity(const std::vector<Scored>& tokens) {
  return std::all_of(tokens.begin(), tokens.end(), [](const Scored& s) { return s.score == -kInf; });
}

bool poisoned(const std::vector<Scored>& tokens, long double sink) {
  const auto bad = [](long double x) { return std::isnan(x) || x == kInf; };
  return std::isnan(sink) || std::any_of(tokens.begin(), tokens.end(), [&](const Scored& s) { return bad(s.score); });
}

bool finite(const Vector& x) {
  return std::all_of(x.begin(), x.end(), [](long double value) { return std::isfinite(value); });
}

// No token carries weight: the answer is zero, and only the sink is left in the LSE.
HeadResult empty_row(const xqacheck_problem& p, long double sink) {
  HeadResult result;
  result.out.assign(p.head_dim_v, 0);
  result.sum_p_abs_v.assign(p.head_dim_v, 0);
  result.lse = sink;
  result.empty = true;
  result.special = std::isnan(sink) || sink == kInf;
  return result;
}

// A NaN or +Inf logit leaves no defined weights: the whole row is NaN.
HeadResult nan_row(const xqacheck_problem& p) {
  HeadResult result;
  result.out.assign(p.head_dim_v, kNan);
  result.sum_p_abs_v.assign(p.head_dim_v, kNan);
  result.lse = kNan;
  result.special = true;
  return result;
}

}  // namespace

long double score_scale(const xqacheck_problem& p) {
  return static_cast<long double>(scale(p.q_scale)) * scale(p.k_scale) /
         std::sqrt(static_cast<long double>(p.head_dim));
}

long double sink_logit(const xqacheck_problem& p, std::uint32_t head) {
  return present(p.sinks) ? element(p.sinks, head, "sinks") : -kInf;
}

std::vector<Scored> scores(const xqacheck_problem& p, const Row& row, std::uint32_t head, std::uint32_t q_format) {
  std::vector<Scored> result;
  const std::int64_t length = sequence_length(p, row.request);
  if (length == 0) return result;
  const Vector q = query(p, row, head, q_format);
  for (std::int64_t t = 0; t < length; ++t) {
    if (!visible(p, row, t)) continue;
    const Vector k = key_at(p, row, kv_head_of(p, head), t);
    long double dot = 0, size = 0;
    for (std::uint32_t d = 0; d < p.head_dim; ++d) {
      dot += q[d] * k[d];
      size += std::fabs(q[d] * k[d]);
    }
    result.push_back({t, dot * score_scale(p), size * std::fabs(score_scale(p))});
  }
  return result;
}

long double log_sum_exp(const std::vector<Scored>& tokens, long double sink) {
  long double largest = sink;
  for (const Scored& s : tokens) largest = std::max(largest, s.score);
  if (largest == kInf || largest == -kInf) return largest;
  long double sum = std::exp(sink - largest);
  for (const Scored& s : tokens) sum += std::exp(s.score - largest);
  return largest + std::log(sum);
}

long double weight(const Scored& token, long double lse) {
  return std::exp(token.score - lse);
}

HeadResult attend(const xqacheck_problem& p, const Row& row, std::uint32_t head, std::uint32_t q_format) {
  const std::vector<Scored> tokens = scores(p, row, head, q_format);
  const long double sink = sink_logit(p, head);
  if (all_minus_infinity(tokens)) return empty_row(p, sink);
  if (poisoned(tokens, sink)) return nan_row(p);

  HeadResult result;
  result.out.assign(p.head_dim_v, 0);
  result.sum_p_abs_v.assign(p.head_dim_v, 0);
  result.lse = log_sum_exp(tokens, sink);
  result.special = result.lse == kInf;  // a +Inf sink takes all the weight
  const long double out_scale = static_cast<long double>(scale(p.v_scale)) * scale(p.rcp_out_scale);
  for (const Scored& token : tokens) {
    const Vector v = value_at(p, row, kv_head_of(p, head), token.token);
    const long double w = weight(token, result.lse);
    for (std::uint32_t d = 0; d < p.head_dim_v; ++d) {
      result.out[d] += w * v[d] * out_scale;
      result.sum_p_abs_v[d] += w * std::fabs(v[d] * out_scale);
    }
    if (!finite(v)) result.special = true;
    if (std::isfinite(token.score)) result.score_size = std::max(result.score_size, token.size);
  }
  return result;
}

}  // namespace xqacheck::reference::slow
