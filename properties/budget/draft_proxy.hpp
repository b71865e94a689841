// How much an attention error could change the verdicts on draft tokens: a proxy, from one attention call alone.
//
// A speculative decoder compares the target model's next-token distribution with a draft. The output of a row (all heads
// side by side) is projected on random vectors, one a candidate token, as if the attention were the last thing before the
// logits; residual streams and later layers, which dampen or amplify, are not there. Two verdicts are compared between
// reference and kernel: greedy (another candidate is the best), and sampled (acceptance falls by the total-variation
// distance of the two distributions, Leviathan et al. 2023, for a draft model that is the reference itself).
#pragma once

#include "properties/budget/observation.hpp"

namespace xqacheck::properties::budget {

struct DraftProxy {
  double flips = 0;  // share of (row, projection) pairs whose best candidate changes
  double shift = 0;  // mean total-variation distance
};

// Over the rows that have a line in `lines`, their other lines left out.
DraftProxy draft_proxy(const Observation& o, const Lines& lines);

}  // namespace xqacheck::properties::budget
