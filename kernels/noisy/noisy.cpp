#include "kernels/noisy/noisy.h"

#include <cstdlib>
#include <iterator>
#include <utility>

#include "kernels/flash32/inputs.hpp"
#include "kernels/flash32/plan.hpp"
#include "kernels/flash32/supports.hpp"
#include "kernels/noisy/attend.hpp"

namespace xqacheck::kernels::noisy {
namespace {

constexpr std::uint32_t kNone = XQACHECK_NONE, kFp32 = XQACHECK_FP32, kBf16 = XQACHECK_BF16, kFp16 = XQACHECK_FP16,
                        kE4m3 = XQACHECK_E4M3;

// 448 brings the largest weight to the largest e4m3 number. Fraction bits 25 and 13, steps 16 and 32: the matrix units
// of sm_90 for 16-bit and for e4m3 operands.
constexpr Arithmetic kVariants[] = {
    // name           q      P     P scale bits F steps partial rescales rounded strided
    {"noisy-bf16p", kNone, kBf16, 1, 24, 0, 1, kFp32, false, true, false},
    {"noisy-fp16p", kNone, kFp16, 1, 24, 0, 1, kFp32, false, false, true},
    {"noisy-e4m3p", kNone, kE4m3, 448, 24, 0, 1, kFp32, false, false, false},
    {"noisy-part16", kNone, kFp32, 1, 24, 0, 1, kNone, false, false, false},
    {"noisy-hmma", kNone, kBf16, 1, 24, 25, 16, kNone, true, true, true},
    {"noisy-qgmma", kE4m3, kE4m3, 448, 14, 13, 32, kNone, false, false, true},
};
constexpr std::size_t kCount = std::size(kVariants);

xqacheck_description describe_variant(const Arithmetic& x) {
  xqacheck_description d{};
  d.name = x.name;
  d.version = "1";
  d.memory = XQACHECK_HOST;
  d.deterministic = 1;
  d.rows_independent = 1;
  d.split_invariant_company = 1;
  xqacheck_numerics& n = d.numerics;
  n.q_format = x.q_format;
  n.p_format = x.p_format;
  n.p_scale = x.p_scale;
  n.accumulator_bits = static_cast<std::uint32_t>(x.accumulator_bits);
  n.accumulator_truncates = x.fraction_bits != 0 ? 1 : 2;
  n.accumulator_steps = static_cast<std::uint32_t>(x.steps);
  n.partial_format = x.partial_format;
  n.tile_tokens = kTileTokens;
  n.exp_relative_error = 0x1p-23f;
  n.double_rounded_output = 1;
  n.row_sum_of_rounded_p = x.sum_of_rounded ? 1 : 2;
  n.p_rescaled = x.rescales_p ? 1 : 2;
  n.partial_roundings = 1;
  return d;
}

xqacheck_status supports(const xqacheck_problem* p, char* why, size_t bytes) {
  return flash32::supports(*p, why, bytes);
}

xqacheck_status prepare(const xqacheck_problem* p, xqacheck_instance** instance, char* why, size_t bytes) {
  if (const xqacheck_status status = flash32::supports(*p, why, bytes); status != XQACHECK_OK) return status;
  *instance = static_cast<xqacheck_instance*>(std::malloc(1));  // nothing to remember; not NULL
  return *instance == nullptr ? XQACHECK_ERROR : XQACHECK_OK;
}

xqacheck_status workspace(xqacheck_instance*, const xqacheck_problem* p, xqacheck_workspace* sizes) {
  *sizes = {scratch_floats(*p) * sizeof(float), 0, alignof(float), 1};
  return XQACHECK_OK;
}

template <std::size_t kIndex>
xqacheck_status run(xqacheck_instance*, const xqacheck_problem* p, const xqacheck_launch* launch) {
  const std::uint32_t splits = flash32::plan_splits(*p);
  for (std::uint32_t request = 0; request < p->requests; ++request)
    for (std::uint32_t beam = 0; beam < p->beam_width; ++beam)
      for (std::uint32_t kv_head = 0; kv_head < p->kv_heads; ++kv_head) {
        const flash32::Sequence s = flash32::sequence_at(*p, request, beam);
        flash32::append_tokens(*p, s, kv_head);
        attend(kVariants[kIndex], *p, s, kv_head, splits, static_cast<float*>(launch->scratch));
      }
  return XQACHECK_OK;
}

std::uint32_t split_plan(const xqacheck_problem* p) {
  return flash32::plan_splits(*p);
}

void destroy(xqacheck_instance* instance) {
  std::free(instance);
}

template <std::size_t kIndex>
const xqacheck_description* describe() {
  static const xqacheck_description description = describe_variant(kVariants[kIndex]);
  return &description;
}

template <std::size_t... kIndices>
const xqacheck_kernel* table(std::size_t index, std::index_sequence<kIndices...>) {
  static const xqacheck_kernel kernels[] = {{XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe<kIndices>,
                                             supports, prepare, workspace, run<kIndices>, split_plan, destroy}...};
  return kernels + index;
}

}  // namespace
}  // namespace xqacheck::kernels::noisy

extern "C" const xqacheck_kernel* xqacheck_noisy_kernel(uint32_t index) {
  using namespace xqacheck::kernels::noisy;
  return index < kCount ? table(index, std::make_index_sequence<kCount>()) : nullptr;
}
