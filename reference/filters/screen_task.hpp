// The screen of one (sequence, KV head).
#pragma once

#include <cstddef>
#include <vector>

#include "reference/filters/context.hpp"
#include "reference/filters/screen.hpp"
#include "reference/filters/tally.hpp"

namespace xqacheck::reference::filters {

struct TaskTallies {
  SequenceTallies tokens;
  Tally softmax_scale, output_scale, window_narrow, window_wide, length_short, length_long, mask_full, mask_causal;
  std::vector<Tally> sinks;    // a query head of the group
  Matrix softmax_sensitivity;  // [lines][head_dim_v]
};

TaskTallies screen_task(const Context& context, const Group& group);

// What taking weight `p` out of, or putting it into, a row does: o -> o + factor * (v - o).
inline double factor_without(double p) {
  return p < kAllTheWeight ? -p / (1 - p) : -1;
}
inline double factor_with(double p) {
  return std::isfinite(p) ? p / (1 + p) : 1;
}

}  // namespace xqacheck::reference::filters
