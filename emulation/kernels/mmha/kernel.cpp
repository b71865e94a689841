// The table of `emu-mmha`.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "emulation/kernels/mmha/mmha.h"
#include "emulation/kernels/mmha/steps.hpp"
#include "kernels/abi/xqacheck_contradiction.h"

namespace xqacheck::emulation::mmha {
namespace {

constexpr std::uint32_t kMaxHeadDim = 576;

const xqacheck_description* describe() {
  static const xqacheck_recipe recipe = {"mmha", "sm_90", "", ""};
  static const xqacheck_description description = [] {
    xqacheck_description d{};
    d.name = "emu-mmha", d.version = "1", d.memory = XQACHECK_HOST;
    d.deterministic = d.rows_independent = d.split_invariant_company = 1;
    d.numerics.p_format = XQACHECK_FP32, d.numerics.p_scale = 1;
    d.numerics.accumulator_bits = 24, d.numerics.accumulator_truncates = 2, d.numerics.accumulator_steps = 1;
    d.numerics.partial_format = XQACHECK_FP32, d.numerics.tile_tokens = kTile;
    d.numerics.exp_relative_error = 0x1p-22f;  // ex2.approx: two units in the last place (numerics-sm90, 3.1)
    d.numerics.double_rounded_output = 2;
    d.recipe = &recipe;
    return d;
  }();
  return &description;
}

xqacheck_status say(char* why, std::size_t why_bytes, xqacheck_status status, const std::string& text) {
  if (why_bytes != 0) *fmt::format_to_n(why, why_bytes - 1, "{}", text).out = '\0';
  return status;
}

bool is_16_bit(std::uint32_t dtype) {
  return dtype == XQACHECK_FP16 || dtype == XQACHECK_BF16;
}

xqacheck_status supports(const xqacheck_problem* p, char* why, std::size_t why_bytes) {
  const auto no = [&](const std::string& text) { return say(why, why_bytes, XQACHECK_UNSUPPORTED, text); };
  if (const char* fault = xqacheck_contradiction(p); fault != nullptr)
    return say(why, why_bytes, XQACHECK_INVALID, fault);
  if (p->head_dim % 16 != 0 || p->head_dim > kMaxHeadDim || p->head_dim_v > kMaxHeadDim)
    return no(fmt::format("head_dim={}/{}: multiples of 16 up to {}", p->head_dim, p->head_dim_v, kMaxHeadDim));
  if (p->rope_kind != XQACHECK_ROPE_NONE || p->k_new.data != nullptr)
    return no("rope: fused RoPE and append are not implemented");
  if (!is_16_bit(p->q.dtype)) return no("q: fp16 or bf16");
  if (p->out.dtype != p->q.dtype && p->out.dtype != XQACHECK_E4M3) return no("out: the dtype of q or e4m3");
  if (is_16_bit(p->k.dtype) && p->k.dtype != p->q.dtype) return no("kv: the dtype of q, int8 or e4m3");
  return XQACHECK_OK;
}

std::uint32_t split_plan(const xqacheck_problem* p) {
  // The kernel's own launch: the article's plan on the capacity, at most one sub-sequence a tile (kernels/mmha).
  if (p->forced_splits != 0) return p->forced_splits;
  return 1;
}

xqacheck_status prepare(const xqacheck_problem* p, xqacheck_instance** instance, char* why, std::size_t why_bytes) {
  *instance = nullptr;
  return supports(p, why, why_bytes);
}

xqacheck_status workspace(xqacheck_instance*, const xqacheck_problem*, xqacheck_workspace* sizes) {
  *sizes = {0, 0, 16, 16};
  return XQACHECK_OK;
}

xqacheck_status run(xqacheck_instance*, const xqacheck_problem* problem, const xqacheck_launch*) {
  const std::uint32_t splits = split_plan(problem);
  const std::int64_t cells = std::int64_t{problem->total_rows} * problem->q_heads;
  // Waking threads costs more than a small problem: below about a millisecond of work one thread does it all.
  const bool large = cells * problem->max_seq_len * problem->head_dim > 4'000'000;
#pragma omp parallel for schedule(dynamic) if (large)
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const Block block(*problem, static_cast<std::uint32_t>(cell / problem->q_heads),
                      static_cast<std::uint32_t>(cell % problem->q_heads));
    std::vector<Running> partials;
    for (std::uint32_t split = 0; split < splits; ++split) partials.push_back(run_sub_sequence(block, split, splits));
    finish(block, splits == 1 ? std::move(partials.front()) : merge(block, partials));
  }
  return XQACHECK_OK;
}

void destroy(xqacheck_instance*) {}

}  // namespace
}  // namespace xqacheck::emulation::mmha

extern "C" const xqacheck_kernel* xqacheck_emu_mmha_kernel(void) {
  using namespace xqacheck::emulation::mmha;
  static const xqacheck_kernel kernel = {
      XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe, supports, prepare, workspace, run, split_plan, destroy};
  return &kernel;
}
