// Small problems made by hand: contents are known bytes, sizes are chosen so that nothing is a multiple of a page.
#pragma once

#include "reference/problem.hpp"

namespace xqacheck::tests {

struct HandShape {
  std::uint32_t rows = 3, q_heads = 2, kv_heads = 1, dim = 16, tokens = 5;
  std::int64_t out_gap = 0;  // unused elements after each head of out
  bool lse = true, sinks = true;
};

// bf16, contiguous, one request a row.
reference::Problem hand_problem(const HandShape& shape = {});

// What the plug-in "copy" must answer.
std::vector<std::byte> expected_copy(const reference::Problem& problem, const std::vector<std::byte>& out);

}  // namespace xqacheck::tests
