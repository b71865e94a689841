#include "kernels/flash32/merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/flash32/attend.hpp"
#include "kernels/flash32/plan.hpp"

namespace xqacheck::kernels::flash32 {

void merge(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, std::uint32_t splits, float* partials,
           std::uint64_t group_rows, std::uint64_t partial_floats) {
  const std::uint32_t group = p.q_heads / p.kv_heads;
  const float out_scale = value_of(p.v_scale) * value_of(p.rcp_out_scale);
  // In double, so that base e (which no fp32 holds exactly) gives a factor of exactly 1.
  const float lse_factor = static_cast<float>(1 / std::log(static_cast<double>(p.lse_base)));
  for (std::uint32_t r = 0; r < s.rows * group; ++r) {
    const std::uint32_t row = s.first_row + r / group, head = kv_head * group + r % group;
    const auto partial = [&](std::uint32_t split) {
      return Partial(partials + (split * group_rows + r) * partial_floats);
    };
    float scores_m = -std::numeric_limits<float>::infinity();
    for (std::uint32_t split = 0; split < splits; ++split) scores_m = std::fmax(scores_m, partial(split).m());
    // The sink is one more logit of the denominator: it takes part in the maximum, so a large one cannot overflow.
    const bool has_sink = p.sinks.dtype != XQACHECK_NONE;
    const float sink = has_sink ? pointer<float>(p.sinks)[head] : -std::numeric_limits<float>::infinity();
    const float m = std::fmax(scores_m, sink);
    float sum = 0;
    float channels[kMaxHeadDim];
    std::fill_n(channels, p.head_dim_v, 0.0f);
    for (std::uint32_t split = 0; split < splits; ++split) {
      const float share = weight(partial(split).m(), m);
      sum += share * partial(split).sum();
      for (std::uint32_t d = 0; d < p.head_dim_v; ++d) channels[d] += share * partial(split).accumulator()[d];
    }
    // A row that saw nothing, or only scores of -inf, is zero whatever V holds.
    if (scores_m == -std::numeric_limits<float>::infinity() && sum == 0) std::fill_n(channels, p.head_dim_v, 0.0f);
    if (has_sink) sum += sink == m ? 1.0f : weight(sink, m);  // a sink of +inf takes all the weight
    const float factor = sum == 0 ? 0 : out_scale / sum;
    const std::int64_t index = row * p.out_stride_row + head * p.out_stride_head;
    for (std::uint32_t d = 0; d < p.head_dim_v; ++d) encode(channels[d] * factor, p.out.dtype, p.out.data, index + d);
    if (p.lse.dtype != XQACHECK_NONE) {
      const float lse = m + std::log(sum);  // -inf for an empty row without a sink
      static_cast<float*>(p.lse.data)[std::uint64_t{row} * p.q_heads + head] = lse * lse_factor;
    }
  }
}

}  // namespace xqacheck::kernels::flash32
