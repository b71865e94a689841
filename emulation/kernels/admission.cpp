#include "emulation/kernels/admission.hpp"

#include <fmt/format.h>

#include "emulation/kernels/geometry.hpp"

namespace xqacheck::emulation {

namespace {

Admission unsupported(std::string why) { return {XQACHECK_UNSUPPORTED, std::move(why)}; }
Admission invalid(std::string why) { return {XQACHECK_INVALID, std::move(why)}; }

constexpr std::uint32_t kQueryTileBytes = 16u << 10;  // the mma.sync kernel keeps q in shared memory: at most 16 KiB
constexpr std::uint32_t kGmmaGroup = 32;              // largest group that the wgmma launcher admits

bool is_half(std::uint32_t dtype) { return dtype == XQACHECK_FP16 || dtype == XQACHECK_BF16; }

Admission admit_sizes(const xqacheck_problem& p) {
  if (p.requests == 0 || p.kv_heads == 0 || p.q_heads == 0) return invalid("requests, q_heads, kv_heads: must be positive");
  if (p.q_heads % p.kv_heads != 0) {
    return invalid(fmt::format("q_heads {} is not a multiple of kv_heads {}", p.q_heads, p.kv_heads));
  }
  if (p.beam_width == 0) return invalid("beam_width is 0");
  if (p.max_rows == 0) return invalid("max_rows is 0");
  if (p.head_dim == 0 || p.head_dim % 16 != 0) {
    return invalid(fmt::format("head_dim {} is not a positive multiple of 16", p.head_dim));
  }
  if (p.head_dim_v != p.head_dim || p.kv_aliased != 0) {
    return unsupported(fmt::format("head_dim_v {}: must equal head_dim {}; these kernels have no MLA form", p.head_dim_v, p.head_dim));
  }
  return {};
}

Admission admit_features(const xqacheck_problem& p) {
  if (!is_half(p.q.dtype)) return unsupported("q: must be fp16 or bf16");
  if (p.k.dtype != p.v.dtype) return invalid("k and v: must have one dtype");
  if (p.rope_kind != XQACHECK_ROPE_NONE || p.k_new.dtype != XQACHECK_NONE || p.qkv_bias.dtype != XQACHECK_NONE) {
    return unsupported("rope_kind, k_new, qkv_bias: the kernel neither rotates nor appends; give it the finished cache");
  }
  if (p.skip_softmax_factor > 0) return unsupported("skip_softmax_factor: the kernel skips nothing");
  if (p.lse.dtype != XQACHECK_NONE) return unsupported("lse: the kernel returns none");
  const bool narrow = p.k.dtype == XQACHECK_INT8 || p.k.dtype == XQACHECK_E4M3;
  if (narrow && p.k_scale.value != p.v_scale.value) return unsupported("k_scale, v_scale: the kernel has one scale for both");
  if (!narrow && (p.k_scale.value != 1 || p.v_scale.value != 1)) {
    return unsupported("k_scale, v_scale: ignored for 16-bit caches, must be 1");
  }
  if (p.out.dtype != p.q.dtype && !(p.out.dtype == XQACHECK_E4M3 && p.k.dtype == XQACHECK_E4M3)) {
    return unsupported("out: must have the dtype of q, or e4m3 with an e4m3 cache");
  }
  if (p.page_tokens != 0 && p.page_tokens != 8 && p.page_tokens != 16 && p.page_tokens != 32 && p.page_tokens != 64 &&
      p.page_tokens != 128) {
    return unsupported(fmt::format("page_tokens {}: pages of 8, 16, 32, 64 or 128 tokens are compiled, or 0 for none", p.page_tokens));
  }
  if (p.k_stride_page != p.v_stride_page || p.k_stride_head != p.v_stride_head || p.k_stride_token != p.v_stride_token) {
    return unsupported("k and v strides: the kernel has one set for both");
  }
  return {};
}

Admission admit_hmma(const xqacheck_problem& p) {
  if (p.k.dtype != p.q.dtype && p.k.dtype != XQACHECK_INT8 && p.k.dtype != XQACHECK_E4M3) {
    return unsupported("k: must have the dtype of q, int8 or e4m3");
  }
  const Call call(p);
  const bool draft = p.mask_kind != XQACHECK_MASK_NONE;
  if (p.beam_width != 1 && p.beam_width != 4) return unsupported(fmt::format("beam_width {}: 1 or 4 is compiled", p.beam_width));
  if (draft && p.beam_width != 1) return unsupported("beam_width: drafts take none");
  if (p.head_dim > 256) return unsupported(fmt::format("head_dim {}: at most 256", p.head_dim));
  const std::uint32_t rows = draft ? 32 : (call.group * p.beam_width + 15) / 16 * 16;
  if (2 * call.padded_dim() * rows > kQueryTileBytes) {
    return unsupported(fmt::format("group {} with head_dim {}: q takes {} bytes of shared memory, {} fit", call.group, p.head_dim,
                                   2 * call.padded_dim() * rows, kQueryTileBytes));
  }
  // Strides count whole heads, in 32 bits.
  for (const std::int64_t stride : {p.k_stride_page, p.k_stride_head, p.k_stride_token}) {
    if (stride % p.head_dim != 0) return unsupported(fmt::format("k stride {}: must be a multiple of head_dim {}", stride, p.head_dim));
  }
  if (draft && p.window > 0 && p.mask_kind == XQACHECK_MASK_TREE) {
    return unsupported("window with a tree: the kernel masks no window edge within a tile");
  }
  if (draft && p.sinks.dtype != XQACHECK_NONE && 32 % call.group != 0 && p.max_rows * call.group > 32) {
    return unsupported(fmt::format("sinks with drafts in more than one block of 32 rows and group {}: rows get the sink of a wrong "
                                   "head (32 mod group is not 0)", call.group));
  }
  return {};
}

Admission admit_gmma(KernelVariant variant, const Recipe& recipe, const xqacheck_problem& p) {
  if (variant == KernelVariant::qgmma && p.k.dtype != XQACHECK_E4M3) return unsupported("k: must be e4m3");
  if (variant == KernelVariant::hgmma && p.k.dtype != p.q.dtype) return unsupported("k: must have the dtype of q");
  const Call call(p);
  const bool draft = p.mask_kind != XQACHECK_MASK_NONE;
  if (p.beam_width != 1) return unsupported("beam_width: only 1");
  if (p.head_dim > 256) return unsupported(fmt::format("head_dim {}: at most 256", p.head_dim));
  if (call.group > kGmmaGroup) return unsupported(fmt::format("group {}: at most {}", call.group, kGmmaGroup));
  const std::int64_t grain = 16 / arith::bytes_of(call.cache);
  for (const std::int64_t stride : {p.k_stride_page, p.k_stride_head, p.k_stride_token}) {
    if (stride % grain != 0) return unsupported(fmt::format("k stride {}: tensor maps need multiples of 16 bytes", stride));
  }
  if (!draft) return {};
  if (variant == KernelVariant::hgmma) return unsupported("drafts with a 16-bit cache: the kernel traps");
  if (p.sinks.dtype != XQACHECK_NONE) {
    return unsupported("sinks with drafts: dropped with one split, and the sink of the last head from the second draft on otherwise");
  }
  if (p.window > 0 || p.ragged != 0) return unsupported("window, ragged with drafts: the launchers do not send such calls here");
  if (keys_on_m(recipe, call) && p.mask_kind == XQACHECK_MASK_TREE) {
    return unsupported("a tree mask with the keys on the M side: the mask is ignored, a causal one is used");
  }
  if (keys_on_m(recipe, call) && p.max_rows * call.group > 32) {
    return unsupported(fmt::format("{} rows with the keys on the M side: at most 32", p.max_rows * call.group));
  }
  return {};
}

}  // namespace

Admission admit(KernelVariant variant, const Recipe& recipe, const xqacheck_problem& problem) {
  for (const auto& check : {admit_sizes, admit_features}) {
    if (Admission answer = check(problem); answer.status != XQACHECK_OK) return answer;
  }
  return variant == KernelVariant::hmma ? admit_hmma(problem) : admit_gmma(variant, recipe, problem);
}

Evidence evidence_of(const Recipe& recipe, const xqacheck_problem& p) {
  const Call call(p);
  if (recipe.arch != "sm_90") return {false, "arch " + recipe.arch + ": its matrix rules are published, not measured here"};
  if (p.rope_kind != XQACHECK_ROPE_NONE || p.k_new.dtype != XQACHECK_NONE || p.qkv_bias.dtype != XQACHECK_NONE) {
    return {false, "fused RoPE, bias and appended tokens: not emulated"};
  }
  if (p.skip_softmax_factor > 0) return {false, "skip-softmax: not emulated"};
  if (p.kv_aliased != 0 || p.head_dim_v != p.head_dim) return {false, "MLA: not emulated"};
  if (call.cache != call.half && p.k_scale.value != p.v_scale.value) return {false, "different scales for K and V: not emulated"};
  if (p.beam_width > 1) return {false, "beams: read from the kernel's source, never recorded"};
  if (p.page_tokens == 0) return {false, "contiguous K and V: by the article, never recorded"};
  if (p.page_tokens == 8) return {false, "pages of 8 tokens: never recorded"};
  if (p.table_stride_v != 0) return {false, "the pool layout with tables for K and V: by the article, never recorded"};
  if (p.head_dim > 256) return {false, "head_dim above 256: read from the kernel's source, never recorded"};
  if (recipe.family == Family::gmma && call.draft) {
    if (p.window > 0) return {false, "a window with drafts on the wgmma kernel: read, never recorded"};
    if (p.ragged != 0) return {false, "drafts of different lengths on the wgmma kernel: read, never recorded"};
    if (call.e4m3_out) return {false, "e4m3 output with drafts on the wgmma kernel: read, never recorded"};
    if (p.max_rows * call.group > 64) return {false, "more than 64 draft rows on the wgmma kernel: read, never recorded"};
  }
  if (call.draft && p.max_rows > 32) return {false, "more than 32 drafts: read, never recorded"};
  return {};
}

}  // namespace xqacheck::emulation
