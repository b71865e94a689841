#include "kernels/host/call_of_problem.hpp"

namespace xqacheck::kernels {

AttentionCall call_of(const xqacheck_problem& p, std::uint32_t sm) {
  AttentionCall call;
  call.position_embedding = p.rope_kind == XQACHECK_ROPE_NEOX   ? PositionEmbedding::rope_neox
                            : p.rope_kind == XQACHECK_ROPE_GPTJ ? PositionEmbedding::rope_gptj
                                                                : PositionEmbedding::none;
  call.rotary_dim = p.rotary_dim;
  call.batch = p.requests, call.q_heads = p.q_heads, call.kv_heads = p.kv_heads;
  call.head_dim = p.head_dim, call.head_dim_v = p.head_dim_v, call.beam_width = p.beam_width;
  call.page_tokens = p.page_tokens, call.paged = p.page_tokens != 0;
  call.max_past_kv_length = p.max_seq_len > p.max_rows ? p.max_seq_len - p.max_rows : 0;
  call.q_dtype = p.q.dtype, call.kv_dtype = p.k.dtype, call.out_dtype = p.out.dtype;
  call.multi_query_tokens = p.mask_kind != XQACHECK_MASK_NONE;
  call.draft_tree = p.mask_kind == XQACHECK_MASK_TREE;
  call.draft_length = p.max_rows;
  call.skip_softmax = p.skip_softmax_factor > 0;
  call.sm = sm, call.sm_count = p.sm_count;
  return call;
}

}  // namespace xqacheck::kernels
