// The bytes that a call cannot avoid to move: what an achieved bandwidth is measured against.
#pragma once

#include <cstdint>

#include "reference/problem.hpp"

namespace xqacheck::properties::perf {

struct Traffic {
  std::uint64_t kv_bytes = 0;     // K and V of every token that any row may see, each stored token once (shared pages too)
  std::uint64_t other_bytes = 0;  // q, output, LSE, page table entries in use, lengths, masks, sinks
  std::uint64_t total() const { return kv_bytes + other_bytes; }
};

// Counts by the page table and the window; a tree's deeper rows see less than its first one, which decides here.
Traffic traffic_of(const reference::Problem& problem);

}  // namespace xqacheck::properties::perf
