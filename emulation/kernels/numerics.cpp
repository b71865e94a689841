#include "emulation/kernels/numerics.hpp"

#include <algorithm>

#include "emulation/kernels/constants.hpp"
#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"

namespace xqacheck::emulation {

xqacheck_numerics numerics_of(KernelVariant variant) {
  xqacheck_numerics n{};
  const bool e4m3 = variant == KernelVariant::qgmma;
  n.q_format = e4m3 ? XQACHECK_E4M3 : XQACHECK_NONE;
  n.p_format = e4m3 ? XQACHECK_E4M3 : XQACHECK_NONE;
  n.p_scale = variant == KernelVariant::hmma ? 1 : kE4m3Max;
  n.accumulator_bits = e4m3 ? 14 : 24;
  n.accumulator_truncates = 1;
  n.accumulator_steps = e4m3 ? 32 : 16;
  // hmma multiplies a tile's P by exp(tile max - running max) in 16 bits, and rounds and adds the tiles of its token groups in
  // 16 bits: for a split and again for the merge, up to four roundings and three sums, the last of which is the output's.
  n.p_rescaled = variant == KernelVariant::hmma ? 1 : 2;
  n.partial_roundings = variant == KernelVariant::hmma ? 7 : 1;
  n.tile_tokens = 64;
  n.exp_relative_error = 0x1p-22f;  // ex2.approx is at most two units of 2^-23 off
  n.double_rounded_output = 1;
  n.row_sum_of_rounded_p = variant == KernelVariant::hmma ? 1 : 2;
  return n;
}

xqacheck_numerics numerics_of(const Recipe& recipe, const xqacheck_problem& problem) {
  const Call call(problem);
  const bool e4m3 = e4m3_operands(recipe, call);
  xqacheck_numerics n = numerics_of(recipe.family == Family::hmma ? KernelVariant::hmma
                                                                  : e4m3 ? KernelVariant::qgmma : KernelVariant::hgmma);
  if (!e4m3) n.p_format = problem.q.dtype;
  n.partial_format = problem.q.dtype;
  if (recipe.family == Family::hmma) {
    const std::uint32_t groups = call.padded_dim() <= 64 ? 4 : call.padded_dim() <= 128 ? 2 : 1;
    const bool splits = split_plan(recipe, problem) > 1;
    // One rounding of a group's tile and one of each sum, for the split and for the merge, without the last; 0 would mean
    // "unknown".
    n.partial_roundings = std::max(1u, (splits ? 2 : 1) * groups - 1);
  }
  return n;
}

xqacheck_domain domain_of(KernelVariant variant) {
  xqacheck_domain d{};
  // Beyond these, s * log2e leaves f32.
  d.max_abs_score = 1e38f;
  // Masked scores are -1e5; below -1e5 + 88 they would weigh in. A round number well above.
  d.min_row_max = -99000.0f;
  d.needs_finite_tail = variant == KernelVariant::hmma ? 0 : 1;  // the wgmma kernels multiply the tail of the last page by 0
  d.zero_length = XQACHECK_EMPTY_UNSUPPORTED;
  d.fully_masked = XQACHECK_EMPTY_UNSUPPORTED;
  d.nan_policy = 1;  // 0 times NaN reaches rows that do not look at the token
  return d;
}

}  // namespace xqacheck::emulation
