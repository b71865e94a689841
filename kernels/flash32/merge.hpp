// Merge of the sub-sequences of one (sequence, KV head): normalisation, sink, output conversion, LSE.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/flash32/geometry.hpp"

namespace xqacheck::kernels::flash32 {

// `partials` holds, for split 0, 1, … splits - 1, one partial for each of `group_rows` rows (the layout of plan.hpp).
// The merge order is that of the splits, never that of their arrival.
void merge(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, std::uint32_t splits, float* partials,
           std::uint64_t group_rows, std::uint64_t partial_floats);

}  // namespace xqacheck::kernels::flash32
