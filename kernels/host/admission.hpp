// Admission: may this call run on the HMMA, QGMMA or MLA kernel of the XQA family, and is it worth it?
//
// The rules are those of the article that describes XQA (section "who decides to use it") and of the public launchers
// (decoderXQARunner, compileEngine). Some rows of the article's table have no key on a case line (cross attention,
// ALiBi …): they live in a parameter struct of their own, so that an engine's real call can be checked too.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

enum class MaskMode : std::uint8_t { causal, padding, bidirectional, sliding_or_other };
enum class PositionEmbedding : std::uint8_t {
  rope_neox,
  rope_gptj,
  rope_long,
  yarn,
  learned_absolute,
  alibi,
  relative,
  none
};

// One attention call as an engine sees it before it has chosen a kernel. Lengths in tokens.
struct AttentionCall {
  // what the call computes
  bool unidirectional = true;
  MaskMode mask_mode = MaskMode::causal;
  bool cross_attention = false;
  bool position_shift = false;
  std::uint32_t sink_token_length = 0;       // injected sink tokens (StreamingLLM), not sink logits
  std::uint32_t chunked_attention_size = 0;  // 0: not chunked
  PositionEmbedding position_embedding = PositionEmbedding::rope_neox;
  std::uint32_t rotary_dim = 128;
  // shape
  std::uint32_t batch = 1, q_heads = 8, kv_heads = 1, head_dim = 128, head_dim_v = 128, beam_width = 1;
  std::uint32_t page_tokens = 32;  // 0: contiguous
  bool paged = true;
  std::uint32_t max_past_kv_length = 0;  // history of the longest request
  // formats
  std::uint32_t q_dtype = XQACHECK_BF16, kv_dtype = XQACHECK_BF16, out_dtype = XQACHECK_BF16;
  // variants
  bool multi_query_tokens = false;  // draft tokens are verified in this call
  bool draft_tree = false;          // … and they form a tree
  std::uint32_t draft_length = 1;
  bool skip_softmax = false;
  bool multi_block_mode = true;
  // machine
  std::uint32_t sm = 90;  // compute capability × 10
  std::uint32_t sm_count = 132;
  bool is_mla() const { return head_dim == 576 && head_dim_v == 512; }
};

struct Admission {
  bool admitted = false;
  std::string reason;  // why not: field, value, what is allowed; empty when admitted
};

Admission admit_common(const AttentionCall& call);  // semantics of decode attention that all three kernels need
Admission admit_hmma(const AttentionCall& call);    // mma.sync kernel, SM80 and later
Admission admit_qgmma(const AttentionCall& call);   // wgmma kernel, SM90 only
Admission admit_mla(const AttentionCall& call);     // MLA kernel of the SM120 family

enum class KernelChoice : std::uint8_t { mmha, hmma, qgmma, mla };
const char* name_of(KernelChoice choice);

// Environment overrides. XQACHECK_FORCE_KERNEL=mmha|hmma|qgmma|mla and XQACHECK_FORCE_SPLITS=N; empty and unset mean no
// override. A value that is not one of these throws std::invalid_argument naming the variable.
struct Overrides {
  bool kernel_forced = false;
  KernelChoice kernel = KernelChoice::mmha;
  std::uint32_t splits = 0;  // 0: not forced
};
Overrides overrides_from_environment();

// True when the kernel can be expected to fill the GPU: kv_heads * batch * blocks * 4 >= SMs, one block per 128 history
// tokens (article: kMinHistoryTokensPerBlock = 128, kEnableMinBlockFactor = 4). Draft verification and MLA are exempt:
// always true.
bool may_have_perf_gain(const AttentionCall& call);

// The whole decision: overrides first, then admission, then the expected gain; MMHA is the fallback that takes
// anything. `why` says which rule decided.
struct Choice {
  KernelChoice kernel = KernelChoice::mmha;
  std::string why;
};
Choice choose_kernel(const AttentionCall& call, const Overrides& overrides = {});

// RoPE is fused into the wgmma kernel only when rotary_dim is a multiple of 16 and the style is NeoX, GPT-J or
// LongRoPE.
bool rope_fused(const AttentionCall& call, KernelChoice kernel);

// Rows of the query tile (the article's M_TILESIZE): the group size for decode, 64 for drafts on the wgmma and MLA
// kernels, else 16 when draft_length * group < 16, else 32.
std::uint32_t query_tile_rows(const AttentionCall& call, KernelChoice kernel);

}  // namespace xqacheck::kernels
