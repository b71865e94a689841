// The table of `mmha`: admission, run-time compilation, workspace, launch.
#include "kernels/mmha/mmha.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "kernels/abi/xqacheck_contradiction.h"
#include "kernels/host/admission.hpp"
#include "kernels/host/dtypes.hpp"
#include "kernels/host/split_plan.hpp"
#include "kernels/host/workspace_layout.hpp"
#include "kernels/jit/cache.hpp"
#include "kernels/launch/seam.hpp"
#include "kernels/mmha/source.hpp"

namespace xqacheck::kernels::mmha {
namespace {

constexpr std::uint32_t kMaxHeadDim = 576;  // MLA: the query row lives in shared memory as fp32

const xqacheck_description* describe() {
  static const xqacheck_recipe recipe = {"mmha", "sm_90", "", ""};
  static const xqacheck_description description = [] {
    xqacheck_description d{};
    d.name = "mmha", d.version = "1", d.memory = XQACHECK_CUDA;
    d.deterministic = 1;
    d.rows_independent = 1;         // a block holds one row
    d.split_invariant_company = 1;  // sub-sequences follow from the request's own length
    d.numerics.p_format = XQACHECK_FP32, d.numerics.p_scale = 1;
    d.numerics.accumulator_bits = 24, d.numerics.accumulator_truncates = 2, d.numerics.accumulator_steps = 1;
    d.numerics.partial_format = XQACHECK_FP32, d.numerics.tile_tokens = kTileTokens;
    d.numerics.exp_relative_error = 0x1p-22f;  // ex2.approx: two units in the last place (numerics-sm90, 3.1)
    d.numerics.double_rounded_output = 2;      // fp32 straight to the output format
    d.recipe = &recipe;
    return d;
  }();
  return &description;
}

std::uint32_t splits_of(const xqacheck_problem& p) {
  if (p.forced_splits != 0) return p.forced_splits;  // of the caller: stronger than the environment
  if (const std::uint32_t forced = forced_splits_from_environment(); forced != 0) return forced;
  PlanInput in;
  in.batch = p.requests * p.beam_width,
  in.kv_heads = p.q_heads;  // one block a query head: heads do not share K and V here
  in.max_seq_len = in.max_past_kv_length = p.max_seq_len;
  in.sm_count = std::max(p.sm_count, 1u);
  const std::uint32_t tiles = std::max(1u, (p.max_seq_len + kTileTokens - 1) / kTileTokens);
  return std::min(plan_article(in), tiles);
}

// "" or how the environment keeps this kernel from running: an override that cannot be read, or that names another one.
std::string refused_by_override() {
  try {
    const Overrides overrides = overrides_from_environment();
    if (!overrides.kernel_forced || overrides.kernel == KernelChoice::mmha) return "";
    return fmt::format("XQACHECK_FORCE_KERNEL={}: mmha may not stand in for it", name_of(overrides.kernel));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// "" or why the problem cannot run; `invalid` when it contradicts itself.
std::string refusal(const xqacheck_problem& p, bool& invalid) {
  invalid = true;
  if (p.struct_bytes < sizeof p) return fmt::format("struct_bytes={}: ABI version 1 has {}", p.struct_bytes, sizeof p);
  if (p.requests == 0 || p.total_rows == 0) return "requests and total_rows must not be 0";
  if (p.kv_heads == 0 || p.q_heads == 0 || p.q_heads % p.kv_heads != 0)
    return fmt::format("q_heads={} is not a multiple of kv_heads={}", p.q_heads, p.kv_heads);
  if (p.beam_width > 1 && p.beam_index.data == nullptr) return "beam_index is absent while beam_width > 1";
  if (p.ragged != 0 && p.row_offsets.data == nullptr) return "row_offsets is absent while ragged is set";
  if (p.mask_kind == XQACHECK_MASK_TREE && p.mask.data == nullptr) return "mask is absent while mask_kind is TREE";
  if (p.page_tokens != 0 && p.page_table.data == nullptr) return "page_table is absent while page_tokens is not 0";
  invalid = false;
  if (p.head_dim == 0 || p.head_dim % 16 != 0 || p.head_dim > kMaxHeadDim)
    return fmt::format("head_dim={}: a multiple of 16 up to {}", p.head_dim, kMaxHeadDim);
  if (p.head_dim_v == 0 || p.head_dim_v > kMaxHeadDim)
    return fmt::format("head_dim_v={}: up to {}", p.head_dim_v, kMaxHeadDim);
  if (!is_16_bit(p.q.dtype)) return "q: fp16 or bf16 is needed";
  if (is_16_bit(p.k.dtype) ? p.k.dtype != p.q.dtype : p.k.dtype != XQACHECK_INT8 && p.k.dtype != XQACHECK_E4M3)
    return "k: the dtype of q, int8 or e4m3 is needed";
  if (p.v.dtype != p.k.dtype) return "v: the dtype of k is needed";
  if (p.out.dtype != p.q.dtype && p.out.dtype != XQACHECK_E4M3) return "out: the dtype of q or e4m3 is needed";
  if (p.rope_kind != XQACHECK_ROPE_NONE || p.k_new.data != nullptr)
    return "rope: fused RoPE and append are not implemented";
  invalid = true;
  if (const char* fault = xqacheck_contradiction(&p); fault != nullptr) return fault;
  invalid = false;
  if (std::string text = refused_by_override(); !text.empty()) return text;
  return check_grid({splits_of(p), p.q_heads, p.total_rows});
}

xqacheck_status say(char* why, std::size_t why_bytes, xqacheck_status status, const std::string& text) {
  if (why_bytes != 0) *fmt::format_to_n(why, why_bytes - 1, "{}", text).out = '\0';
  return status;
}

xqacheck_status supports(const xqacheck_problem* problem, char* why, std::size_t why_bytes) {
  bool invalid = false;
  const std::string text = refusal(*problem, invalid);
  if (text.empty()) return XQACHECK_OK;
  return say(why, why_bytes, invalid ? XQACHECK_INVALID : XQACHECK_UNSUPPORTED, text);
}

struct Instance {
  std::unique_ptr<launch::Module> module;
  std::unique_ptr<launch::Function> function;
  std::uint32_t splits = 1;
  float rsqrt_dim = 1;
};

jit::KernelCache& cache() {
  static jit::KernelCache cache(jit::default_cache_directory());
  return cache;
}

xqacheck_status prepare(const xqacheck_problem* problem, xqacheck_instance** instance, char* why,
                        std::size_t why_bytes) {
  if (const xqacheck_status status = supports(problem, why, why_bytes); status != XQACHECK_OK) return status;
  launch::Device* device = launch::active_device();
  if (device == nullptr) return say(why, why_bytes, XQACHECK_ERROR, "no device is open: run with --device cuda");
  try {
    auto made = std::make_unique<Instance>();
    const auto compiled = cache().get(compile_request(shape_of(*problem), device->info().arch));
    made->module = device->load(compiled->image);
    made->function = device->function(*made->module, "mmha", 0);
    made->splits = splits_of(*problem);
    made->rsqrt_dim = static_cast<float>(1.0 / std::sqrt(static_cast<double>(problem->head_dim)));
    *instance = reinterpret_cast<xqacheck_instance*>(made.release());
    return XQACHECK_OK;
  } catch (const std::exception& error) {
    return say(why, why_bytes, XQACHECK_ERROR, error.what());
  }
}

xqacheck_status workspace(xqacheck_instance* instance, const xqacheck_problem* problem, xqacheck_workspace* sizes) {
  const std::uint64_t splits = reinterpret_cast<Instance*>(instance)->splits;
  const std::uint64_t cells = std::uint64_t{problem->total_rows} * problem->q_heads;
  *sizes = {0, 0, alignof(float), alignof(std::uint32_t)};
  if (splits > 1)
    sizes->scratch_bytes = cells * splits * (2 + problem->head_dim_v) * sizeof(float),
    sizes->state_bytes = cells * sizeof(std::uint32_t);
  return XQACHECK_OK;
}

xqacheck_status run(xqacheck_instance* opaque, const xqacheck_problem* problem, const xqacheck_launch* where) {
  const auto& instance = *reinterpret_cast<Instance*>(opaque);
  launch::LaunchSpec spec;
  spec.function = instance.function.get();
  spec.grid = {instance.splits, problem->q_heads, problem->total_rows};
  spec.block = {kThreads, 1, 1};
  spec.programmatic_dependent = problem->pdl != 0;
  spec.arguments = {launch::argument(*problem), launch::argument(where->scratch), launch::argument(where->state),
                    launch::argument(instance.rsqrt_dim)};
  try {
    launch::active_device()->launch(spec, where->stream);
    return XQACHECK_OK;
  } catch (const launch::DeviceError&) {
    return XQACHECK_ERROR;
  }
}

std::uint32_t split_plan(const xqacheck_problem* problem) {
  return splits_of(*problem);
}
void destroy(xqacheck_instance* instance) {
  delete reinterpret_cast<Instance*>(instance);
}

}  // namespace
}  // namespace xqacheck::kernels::mmha

extern "C" const xqacheck_kernel* xqacheck_mmha_kernel(void) {
  using namespace xqacheck::kernels::mmha;
  static const xqacheck_kernel kernel = {
      XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe, supports, prepare, workspace, run, split_plan, destroy};
  return &kernel;
}
