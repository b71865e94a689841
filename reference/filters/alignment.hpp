// Alignment: which scenario of the rounding of P, if any, is visible in the error of a run.
//
// The rounding of P is most of what a correct kernel is off, and it is no chance: under a scenario
// (reference/filters/weight_replay.hpp) it is a known number. Where one scenario fits the error of a run beyond doubt
// it is taken out, and what the filters look for stands out against what is left (doc/filters.md F9).
#pragma once

#include <optional>
#include <vector>

#include "reference/filters/context.hpp"

namespace xqacheck::reference::filters {

struct Alignment {
  double share = 1;               // of the variance of P's rounding that the scenario leaves over
  std::vector<double> predicted;  // by the rounding of P, [R][q_heads][head_dim_v]
  std::vector<double> p_left;     // allowed share of that variance, [R][q_heads]
  std::vector<double> weight;     // 1 / variance of the error that is left, as in Evidence
};

// Nothing where no scenario fits, or where the rounding of P is too small to tell.
std::optional<Alignment> find_alignment(const Context& context, int threads);

// Takes the rounding of P out of the evidence.
void adopt(Context& context, Alignment alignment);

}  // namespace xqacheck::reference::filters
