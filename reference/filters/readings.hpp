// Readings: other ways to read a problem, each a mistake that kernels make: an argument ignored, a stride mixed up, one
// token too many. The output that a kernel with the mistake would give comes from the golden model itself.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference::filters {

// Owns the changed tensors of a reading; the rest is shared with the problem.
struct Reread {
  xqacheck_problem problem{};
  std::deque<std::vector<float>> floats;
  std::deque<std::vector<std::uint32_t>> words;
  std::vector<std::uint32_t> head_order;  // not empty: query head h computes what head head_order[h] should
};

struct Reading {
  std::string name;  // as a report says it: "sliding window ignored"
  // False where the mistake would change nothing or cannot be expressed.
  std::function<bool(const xqacheck_problem&, Reread&)> apply;
};

const std::vector<Reading>& readings();

// Output of a kernel that reads the problem so, [R][q_heads][head_dim_v]; empty when the reading does not apply or
// reads outside of the tensors.
std::vector<double> output_of(const Reading& reading, const xqacheck_problem& problem,
                              const xqacheck_numerics* numerics, int threads);

}  // namespace xqacheck::reference::filters
