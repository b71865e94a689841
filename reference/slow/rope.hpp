// Query, new key and new value of a row as the attention sees them: bias added, rotated, and, for what goes into the
// cache, quantised and read back.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/slow/request.hpp"

namespace xqacheck::reference::slow {

using Vector = std::vector<long double>;

// Rotates the first rotary_dim channels for `position`; pair j of NeoX is (j, j + rotary_dim / 2), of GPT-J (2j, 2j +
// 1): (x, y) -> (x cos - y sin, x sin + y cos). No rounding to any storage format.
Vector rotated(const xqacheck_problem& p, Vector x, std::int64_t position);

std::int64_t position_of(const xqacheck_problem& p, const Row& row);  // RoPE position of a row: S - n + depth

// q of a head: stored value + bias, rotated, then converted to `q_format` if that is declared and not q's own.
Vector query(const xqacheck_problem& p, const Row& row, std::uint32_t head, std::uint32_t q_format);

// The *stored* number (before its scale) that the cache holds for the token that a row appends.
Vector appended_key(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head);
Vector appended_value(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head);

}  // namespace xqacheck::reference::slow
