#include "kernels/host/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/host/dtypes.hpp"
#include "kernels/host/split_plan.hpp"
#include "kernels/host/workspace_layout.hpp"

namespace xqacheck::kernels {
namespace {

Admission no(std::string reason) {
  return {false, std::move(reason)};
}
Admission yes() {
  return {true, {}};
}

bool is_supported_page(std::uint32_t tokens) {
  return tokens == 8 || tokens == 16 || tokens == 32 || tokens == 64 || tokens == 128;
}

const char* name_of(PositionEmbedding embedding) {
  switch (embedding) {
    case PositionEmbedding::rope_neox:
      return "rope_neox";
    case PositionEmbedding::rope_gptj:
      return "rope_gptj";
    case PositionEmbedding::rope_long:
      return "rope_long";
    case PositionEmbedding::yarn:
      return "yarn";
    case PositionEmbedding::learned_absolute:
      return "learned_absolute";
    case PositionEmbedding::alibi:
      return "alibi";
    case PositionEmbedding::relative:
      return "relative";
    case PositionEmbedding::none:
      return "none";
  }
  return "?";
}

// Rotary styles, learned absolute positions and YaRN are applied before the scores; ALiBi and relative bias change the
// scores.
bool is_admitted_embedding(PositionEmbedding embedding) {
  return embedding != PositionEmbedding::alibi && embedding != PositionEmbedding::relative;
}

Admission admit_page(const AttentionCall& call) {
  if (call.paged && !is_supported_page(call.page_tokens))
    return no(fmt::format("page_tokens={}: pages of 8, 16, 32, 64 or 128 tokens are compiled", call.page_tokens));
  return yes();
}

Admission admit_head_dim(const AttentionCall& call, std::uint32_t largest) {
  if (call.head_dim < 16 || call.head_dim > largest || call.head_dim % 16 != 0)
    return no(fmt::format("head_dim={}: a multiple of 16 in [16, {}] is needed", call.head_dim, largest));
  if (call.head_dim_v != call.head_dim)
    return no(fmt::format("head_dim_v={}: must equal head_dim={} outside MLA", call.head_dim_v, call.head_dim));
  return yes();
}

// The 16-bit Q tile stays in shared memory for the whole call: at most 16 KiB (public kernel: persistentQ).
constexpr std::uint32_t kPersistentQueryBytes = 16u << 10;

}  // namespace

const char* name_of(KernelChoice choice) {
  switch (choice) {
    case KernelChoice::mmha:
      return "mmha";
    case KernelChoice::hmma:
      return "hmma";
    case KernelChoice::qgmma:
      return "qgmma";
    case KernelChoice::mla:
      return "mla";
  }
  return "?";
}

Admission admit_common(const AttentionCall& call) {
  if (call.kv_heads == 0 || call.q_heads == 0) return no("q_heads and kv_heads must not be 0");
  if (call.batch == 0) return no("batch must not be 0");
  if (!call.unidirectional || call.mask_mode != MaskMode::causal)
    return no("mask: only unidirectional causal attention is implemented");
  if (call.cross_attention) return no("cross_attention: the cache must be that of the same sequence");
  if (call.position_shift) return no("position_shift: token positions must be contiguous");
  if (call.sink_token_length != 0)
    return no(
        fmt::format("sink_token_length={}: injected sink tokens break contiguous positions", call.sink_token_length));
  if (call.q_heads % call.kv_heads != 0)
    return no(fmt::format("q_heads={} is not a multiple of kv_heads={}", call.q_heads, call.kv_heads));
  if (call.q_heads == call.kv_heads && call.beam_width == 1 && !call.multi_query_tokens)
    return no("group size 1 with beam width 1: plain MHA shares no K or V between query heads");
  if (!is_admitted_embedding(call.position_embedding))
    return no(fmt::format("position_embedding={}: rotary styles, learned absolute or YaRN are needed",
                          name_of(call.position_embedding)));
  if (call.chunked_attention_size != 0)
    return no(
        fmt::format("chunked_attention_size={}: chunked attention is not implemented", call.chunked_attention_size));
  if (!is_16_bit(call.q_dtype)) return no("q_dtype: fp16 or bf16 is needed");
  return yes();
}

Admission admit_hmma(const AttentionCall& call) {
  if (auto common = admit_common(call); !common.admitted) return common;
  if (call.sm < 80) return no(fmt::format("sm={}: mma.sync with cp.async needs 80 or later", call.sm));
  if (call.skip_softmax) return no("skip_softmax: only the wgmma kernel skips tiles");
  if (auto dim = admit_head_dim(call, 256); !dim.admitted) return dim;
  if (auto page = admit_page(call); !page.admitted) return page;
  if (call.kv_dtype != call.q_dtype && call.kv_dtype != XQACHECK_INT8 && call.kv_dtype != XQACHECK_E4M3)
    return no("kv_dtype: the dtype of q, int8 or e4m3 is needed");
  if (call.beam_width != 1 && call.beam_width != 4)
    return no(fmt::format("beam_width={}: 1 or 4 is compiled", call.beam_width));
  if (call.multi_query_tokens && call.beam_width != 1) return no("beam_width: draft tokens need beam width 1");
  const std::uint32_t group = call.q_heads / call.kv_heads;
  const std::uint32_t rows = call.multi_query_tokens ? 32 : (group * call.beam_width + 15) / 16 * 16;
  if (const auto bytes = 2 * padded_head_dim(call.head_dim) * rows; bytes > kPersistentQueryBytes)
    return no(fmt::format("group size {}: the query tile takes {} bytes, {} fit", group, bytes, kPersistentQueryBytes));
  return yes();
}

Admission admit_qgmma(const AttentionCall& call) {
  if (auto common = admit_common(call); !common.admitted) return common;
  if (call.sm != 90) return no(fmt::format("sm={}: wgmma exists on 90 only", call.sm));
  if (call.beam_width != 1) return no(fmt::format("beam_width={}: only 1", call.beam_width));
  if (auto dim = admit_head_dim(call, 256); !dim.admitted) return dim;
  if (auto page = admit_page(call); !page.admitted) return page;
  if (call.q_heads / call.kv_heads > 32)
    return no(fmt::format("group size {}: at most 32", call.q_heads / call.kv_heads));
  if (call.kv_dtype == XQACHECK_INT8) return no("kv_dtype=int8: wgmma takes 16-bit or e4m3 operands");
  if (!call.skip_softmax && call.kv_dtype != XQACHECK_E4M3)
    return no("kv_dtype: e4m3 is needed unless skip_softmax is on");
  if (call.kv_dtype != XQACHECK_E4M3 && call.kv_dtype != call.q_dtype)
    return no("kv_dtype: the dtype of q or e4m3 is needed");
  if (call.multi_query_tokens && !call.draft_tree)
    return no("linear drafts: scores in e4m3 lose acceptance, so they stay on the mma.sync kernel");
  return yes();
}

Admission admit_mla(const AttentionCall& call) {
  if (auto common = admit_common(call); !common.admitted) return common;
  if (call.sm / 10 != 12) return no(fmt::format("sm={}: the MLA kernel is built for the 120 family", call.sm));
  if (!call.is_mla()) return no(fmt::format("head_dim={}/{}: 576/512 is needed", call.head_dim, call.head_dim_v));
  if (call.q_heads / call.kv_heads != 128)
    return no(fmt::format("group size {}: 128 is needed", call.q_heads / call.kv_heads));
  if (call.kv_dtype != XQACHECK_E4M3) return no("kv_dtype: e4m3 is needed");
  if (call.beam_width != 1) return no(fmt::format("beam_width={}: only 1", call.beam_width));
  if (auto page = admit_page(call); !page.admitted) return page;
  return yes();
}

bool may_have_perf_gain(const AttentionCall& call) {
  if (call.multi_query_tokens || call.is_mla()) return true;
  constexpr std::uint64_t kMinHistoryTokensPerBlock = 128, kEnableMinBlockFactor = 4;
  const std::uint64_t blocks =
      call.multi_block_mode ? std::max<std::uint64_t>(1, call.max_past_kv_length / kMinHistoryTokensPerBlock) : 1;
  return std::uint64_t{call.kv_heads} * call.batch * blocks * kEnableMinBlockFactor >= call.sm_count;
}

Choice choose_kernel(const AttentionCall& call, const Overrides& overrides) {
  if (overrides.kernel_forced) {
    const auto admission = overrides.kernel == KernelChoice::hmma    ? admit_hmma(call)
                           : overrides.kernel == KernelChoice::qgmma ? admit_qgmma(call)
                           : overrides.kernel == KernelChoice::mla   ? admit_mla(call)
                                                                     : yes();
    if (admission.admitted) return {overrides.kernel, "forced by XQACHECK_FORCE_KERNEL"};
    throw std::invalid_argument(fmt::format("XQACHECK_FORCE_KERNEL={}: this call is not admitted ({})",
                                            name_of(overrides.kernel), admission.reason));
  }
  if (admit_mla(call).admitted) return {KernelChoice::mla, "MLA is always preferred where it is admitted"};
  const auto qgmma = admit_qgmma(call);
  const auto hmma = admit_hmma(call);
  if (!qgmma.admitted && !hmma.admitted) return {KernelChoice::mmha, hmma.reason};
  if (!may_have_perf_gain(call)) return {KernelChoice::mmha, "too few blocks to fill the GPU"};
  if (qgmma.admitted) return {KernelChoice::qgmma, "admitted"};
  return {KernelChoice::hmma, fmt::format("admitted; not the wgmma kernel: {}", qgmma.reason)};
}

bool rope_fused(const AttentionCall& call, KernelChoice kernel) {
  const auto e = call.position_embedding;
  return kernel == KernelChoice::qgmma && call.rotary_dim != 0 && call.rotary_dim % 16 == 0 &&
         (e == PositionEmbedding::rope_neox || e == PositionEmbedding::rope_gptj || e == PositionEmbedding::rope_long);
}

std::uint32_t query_tile_rows(const AttentionCall& call, KernelChoice kernel) {
  const std::uint32_t group = call.q_heads / call.kv_heads;
  if (!call.multi_query_tokens) return group;
  if (kernel == KernelChoice::qgmma || kernel == KernelChoice::mla) return 64;
  return call.draft_length * group < 16 ? 16 : 32;
}

Overrides overrides_from_environment() {
  Overrides overrides;
  if (const char* kernel = std::getenv("XQACHECK_FORCE_KERNEL"); kernel != nullptr && *kernel != '\0') {
    overrides.kernel_forced = true;
    bool known = false;
    for (auto choice : {KernelChoice::mmha, KernelChoice::hmma, KernelChoice::qgmma, KernelChoice::mla})
      if (std::string_view(kernel) == name_of(choice)) overrides.kernel = choice, known = true;
    if (!known)
      throw std::invalid_argument(
          fmt::format("XQACHECK_FORCE_KERNEL={}: one of mmha, hmma, qgmma, mla is needed", kernel));
  }
  overrides.splits = forced_splits_from_environment();
  return overrides;
}

}  // namespace xqacheck::kernels
