// Attention of one (row, head), from the formulas at the top of the kernel ABI.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/slow/request.hpp"
#include "reference/slow/rope.hpp"

namespace xqacheck::reference::slow {

// A visible token with its logit. `size` is scale * sum |q||k|, the magnitude that rounding errors of the logit scale
// with.
struct Scored {
  std::int64_t token;
  long double score, size;
};

struct HeadResult {
  Vector out, sum_p_abs_v;
  long double lse = 0, score_size = 0;
  bool empty = false, special = false;
};

std::vector<Scored> scores(const xqacheck_problem& p, const Row& row, std::uint32_t head, std::uint32_t q_format);
long double score_scale(const xqacheck_problem& p);                     // q_scale * k_scale / sqrt(head_dim)
long double sink_logit(const xqacheck_problem& p, std::uint32_t head);  // -inf: no sink
// Log of the sum of exponentials of the scores and the sink.
long double log_sum_exp(const std::vector<Scored>& tokens, long double sink);
// exp(score - lse): the softmax weight of a token.
long double weight(const Scored& token, long double lse);

HeadResult attend(const xqacheck_problem& p, const Row& row, std::uint32_t head, std::uint32_t q_format);

}  // namespace xqacheck::reference::slow
