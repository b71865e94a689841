// One (sequence, KV head) of a noisy kernel: all splits and their merge.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/flash32/geometry.hpp"
#include "kernels/noisy/arithmetic.hpp"

namespace xqacheck::kernels::noisy {

inline constexpr std::uint32_t kTileTokens = 64;

// Floats of scratch that attend() uses.
std::uint64_t scratch_floats(const xqacheck_problem& p);

void attend(const Arithmetic& x, const xqacheck_problem& p, const flash32::Sequence& s, std::uint32_t kv_head,
            std::uint32_t splits, float* scratch);

}  // namespace xqacheck::kernels::noisy
