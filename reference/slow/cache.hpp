// Keys and values of a token as stored numbers (scales not applied), wherever they lie: page pool, contiguous cache, or
// the tokens that this very call appends.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/slow/request.hpp"
#include "reference/slow/rope.hpp"

namespace xqacheck::reference::slow {

// Physical page of token t of (request, beam). `value_table`: look it up for V instead of K.
std::int64_t page_of(const xqacheck_problem& p, std::uint32_t request, std::uint32_t beam, std::int64_t t,
                     bool value_table);

Vector key_at(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head, std::int64_t t);
Vector value_at(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head, std::int64_t t);

}  // namespace xqacheck::reference::slow
