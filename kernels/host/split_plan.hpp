// Split plans: into how many sub-sequences (blocks along the tokens) one request is cut. Every plan is a pure function
// of host-side sizes; which one a kernel uses is part of its recipe. Sources are named at each function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xqacheck::kernels {

struct PlanInput {
  std::uint32_t batch = 1;
  std::uint32_t kv_heads = 1;
  std::uint32_t max_seq_len = 0;         // capacity, tokens: what the public launchers look at
  std::uint32_t max_past_kv_length = 0;  // history of the longest request, tokens: what the article's plan looks at
  std::uint32_t sm_count = 132;
  bool mla = false;
  std::uint32_t draft_row_blocks = 1;  // grid blocks along draft rows (draft plan only)
};

// The default plan, article section "how many blocks": one block per 128 history tokens, at most round(sqrt(8 k)),
// scaled down to 8 waves of SMs, and batch * blocks <= 6000 (500 for MLA).
std::uint32_t plan_article(const PlanInput& in);
// The same with 512 history tokens a block, as the TensorRT-LLM runtime was measured to use.
std::uint32_t plan_runtime(const PlanInput& in);
// Draft verification, article section "speculative decoding": 1 for batch > 32 or history < 2048; else the power of two
// that keeps within one wave, at most 64, shifted right for short histories.
std::uint32_t plan_draft(const PlanInput& in);
// mma.sync launcher: min(max(1, SMs / (batch * kv_heads)), ceil(max_seq_len / 256)).
std::uint32_t plan_hmma(const PlanInput& in);
// wgmma launcher: min(max(1, round(SMs * 3 / (batch * kv_heads) * 0.25)), ceil(max_seq_len / 64)), inner division
// integer.
std::uint32_t plan_gmma(const PlanInput& in);
// MLA: multi-block is off.
std::uint32_t plan_single(const PlanInput& in);

struct NamedPlan {
  std::string_view name;
  std::uint32_t (*plan)(const PlanInput&);
  std::string_view source;
};
const std::vector<NamedPlan>& split_plans();
// Throws std::invalid_argument listing the names.
const NamedPlan& split_plan_by_name(std::string_view name);

// XQACHECK_FORCE_SPLITS, a number in [1, 65535] (the grid's y and z limit), or 0 when unset or empty. Throws
// std::invalid_argument.
std::uint32_t forced_splits_from_environment();

}  // namespace xqacheck::kernels
