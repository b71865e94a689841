// After a run with fused RoPE: takes the appended rows out of the cache and finds what else changed in it.
#pragma once

#include "properties/outcome.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties::isolation {

// `k_after` and `v_after` are the problem's k and v tensors (bytes from k.data and v.data of its view) as the kernel
// left them. Adds the appended rows and damage "input k" or "input v" to `outcome`. Does nothing without fused RoPE.
void check_cache(const reference::Problem& problem, const std::byte* k_after, const std::byte* v_after,
                 Outcome& outcome);

}  // namespace xqacheck::properties::isolation
