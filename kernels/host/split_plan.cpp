#include "kernels/host/split_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace xqacheck::kernels {
namespace {

constexpr std::uint32_t kTargetWaves = 8;         // article: kTargetWaveFactor
constexpr std::uint32_t kMaxSubSequences = 6000;  // article: workspace is reserved for this many
constexpr std::uint32_t kMaxSubSequencesMla = 500;
constexpr std::uint32_t kMaxGrid = 65535;  // CUDA's limit for grid.y and grid.z

void require_sizes(const PlanInput& in) {
  if (in.batch == 0 || in.kv_heads == 0 || in.sm_count == 0)
    throw std::invalid_argument("split plan: batch, kv_heads and sm_count must not be 0");
}

std::uint32_t plan_by_history(const PlanInput& in, std::uint32_t tokens_per_block) {
  require_sizes(in);
  std::uint32_t blocks = in.max_past_kv_length / tokens_per_block;
  // The merge reads every partial: grow with the square root beyond 8 blocks so that it does not dominate.
  blocks = std::min(blocks, static_cast<std::uint32_t>(std::round(std::sqrt(static_cast<float>(blocks) * 8.f))));
  blocks = std::max(blocks, 1u);
  const double waves = static_cast<double>(in.batch) * in.kv_heads * blocks / in.sm_count;
  if (waves > kTargetWaves) blocks = static_cast<std::uint32_t>(std::floor(blocks / (waves / kTargetWaves)));
  blocks = std::max(blocks, 1u);
  const std::uint32_t limit = in.mla ? kMaxSubSequencesMla : kMaxSubSequences;
  return std::max(std::min(blocks, limit / in.batch), 1u);
}

std::uint32_t tiles(std::uint32_t tokens, std::uint32_t tile) {
  return (tokens + tile - 1) / tile;
}

}  // namespace

std::uint32_t plan_article(const PlanInput& in) {
  return plan_by_history(in, 128);
}
std::uint32_t plan_runtime(const PlanInput& in) {
  return plan_by_history(in, 512);
}
std::uint32_t plan_single(const PlanInput&) {
  return 1;
}

std::uint32_t plan_draft(const PlanInput& in) {
  require_sizes(in);
  if (in.batch > 32 || in.max_past_kv_length < 2048) return 1;
  const std::uint64_t single = std::uint64_t{in.draft_row_blocks} * in.kv_heads * in.batch;
  if (single == 0 || single >= in.sm_count) return 1;
  std::uint32_t blocks = std::bit_floor(static_cast<std::uint32_t>(in.sm_count / single));
  blocks = std::min(blocks, 64u);
  // Short histories on an almost empty GPU: fewer blocks, since the merge is then the longer part.
  if (single <= 8 && blocks >= 16 && in.max_past_kv_length < 65536) {
    if (single == 8 && in.max_past_kv_length <= 8192) {
      blocks >>= 1;
    } else {
      const auto log2 = static_cast<std::uint32_t>(std::bit_width(in.max_past_kv_length)) - 1;  // 11 … 15
      blocks >>= 3 - (log2 - 10) / 2;
    }
  }
  return std::max(blocks, 1u);
}

std::uint32_t plan_hmma(const PlanInput& in) {
  require_sizes(in);
  const std::uint64_t ctas = std::uint64_t{in.batch} * in.kv_heads;
  return std::max(1u,
                  std::min(std::max(1u, static_cast<std::uint32_t>(in.sm_count / ctas)), tiles(in.max_seq_len, 256)));
}

std::uint32_t plan_gmma(const PlanInput& in) {
  require_sizes(in);
  const std::uint64_t ctas = std::uint64_t{in.batch} * in.kv_heads;
  const auto wanted =
      static_cast<std::uint32_t>(std::round(static_cast<float>(in.sm_count * std::uint64_t{3} / ctas) * 0.25f));
  return std::max(1u, std::min(std::max(1u, wanted), tiles(in.max_seq_len, 64)));
}

const std::vector<NamedPlan>& split_plans() {
  static const std::vector<NamedPlan> plans = {
      {"article", plan_article, "the article's computeMultiBlockCount: history / 128"},
      {"runtime", plan_runtime, "the same with history / 512, as measured"},
      {"draft", plan_draft, "the article's plan for draft verification"},
      {"hmma", plan_hmma, "launcher of the mma.sync kernel"},
      {"gmma", plan_gmma, "launcher of the wgmma kernel"},
      {"single", plan_single, "one block (MLA)"}};
  return plans;
}

const NamedPlan& split_plan_by_name(std::string_view name) {
  std::string names;
  for (const auto& plan : split_plans()) {
    if (plan.name == name) return plan;
    names += (names.empty() ? "" : ", ") + std::string(plan.name);
  }
  throw std::invalid_argument(fmt::format("split plan '{}' is unknown; one of {} is needed", name, names));
}

std::uint32_t forced_splits_from_environment() {
  const char* text = std::getenv("XQACHECK_FORCE_SPLITS");
  if (text == nullptr || *text == '\0') return 0;
  std::uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || rest != end || value == 0 || value > kMaxGrid)
    throw std::invalid_argument(
        fmt::format("XQACHECK_FORCE_SPLITS={}: a number from 1 to {} is needed", text, kMaxGrid));
  return value;
}

}  // namespace xqacheck::kernels
