// What happens to q and to new tokens before attention: bias, RoPE, quantisation into the cache.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/flash32/geometry.hpp"

namespace xqacheck::kernels::flash32 {

// Writes the query rows of KV head `kv_head` as fp32, [rows * group][head_dim], bias added and rotated, not rounded
// again.
void load_queries(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, float* queries);

// Appends the sequence's new tokens (k_new, v_new) to the cache of KV head `kv_head`. Does nothing without k_new.
void append_tokens(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head);

}  // namespace xqacheck::kernels::flash32
