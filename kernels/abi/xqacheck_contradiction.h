/* What a problem may contradict itself in, found from sizes, strides, dtypes and flags alone: the first thing that supports()
 * of a kernel may ask. Plain C11, header only, nothing but the ABI; a kernel is free to check more, or by itself.
 *
 *     const char* fault = xqacheck_contradiction(problem);
 *     if (fault) return say(XQACHECK_INVALID, fault);
 *
 * Contents (lengths, page ids, masks) are not looked at: they may live on a device.
 */
#ifndef XQACHECK_CONTRADICTION_H
#define XQACHECK_CONTRADICTION_H

#include "xqacheck_kernel.h" /* beside this file, in the source tree and where it is installed */

/* Bytes of an element; 0: no dtype of ABI version 1. */
static inline uint32_t xqacheck_element_bytes(uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_INT8:
    case XQACHECK_E4M3:
      return 1;
    case XQACHECK_FP16:
    case XQACHECK_BF16:
      return 2;
    case XQACHECK_FP32:
    case XQACHECK_INT32:
    case XQACHECK_UINT32:
      return 4;
    default:
      return 0;
  }
}

/* Whether a tensor of a x b x c rows of `channels` elements with these strides lies inside its bytes; a may be 0: a pool
 * without pages serves requests without tokens. In doubles: sizes that are not exact there are far beyond any memory. */
static inline int xqacheck_fits(const xqacheck_tensor* t, double a, int64_t stride_a, double b, int64_t stride_b, double c,
                                int64_t stride_c, double channels) {
  double last;
  if (stride_a < 0 || stride_b < 0 || stride_c < 0) return 0;
  last = (a - 1) * (double)stride_a + (b - 1) * (double)stride_b + (c - 1) * (double)stride_c + channels;
  return last * xqacheck_element_bytes(t->dtype) <= (double)t->bytes;
}

static inline const char* xqacheck_contradicting_sizes(const xqacheck_problem* p) {
  const double rows = (double)p->requests * p->beam_width * p->max_rows;
  if (p->requests == 0) return "requests is 0";
  if (p->q_heads == 0 || p->kv_heads == 0) return "q_heads and kv_heads: must not be 0";
  if (p->q_heads % p->kv_heads != 0) return "q_heads is not a multiple of kv_heads";
  if (p->head_dim == 0 || p->head_dim % 16 != 0) return "head_dim is not a positive multiple of 16";
  if (p->head_dim_v == 0 || p->head_dim_v % 16 != 0) return "head_dim_v is not a positive multiple of 16";
  if (p->kv_aliased != 0 && p->head_dim_v > p->head_dim) return "head_dim_v is above head_dim while kv_aliased is set";
  if (p->beam_width == 0) return "beam_width is 0";
  if (p->max_rows == 0) return "max_rows is 0";
  if (p->ragged == 0 ? (double)p->total_rows != rows : (double)p->total_rows > rows)
    return "total_rows does not follow from requests, beam_width and max_rows";
  if (p->page_tokens != 0 && (double)p->table_columns * p->page_tokens < (double)p->max_seq_len)
    return "max_seq_len: table_columns pages of page_tokens tokens do not hold it";
  return 0;
}

static inline const char* xqacheck_contradicting_dtypes(const xqacheck_problem* p) {
  if (p->q.dtype != XQACHECK_FP16 && p->q.dtype != XQACHECK_BF16) return "q: its dtype is neither fp16 nor bf16";
  if (p->k.dtype != p->q.dtype && p->k.dtype != XQACHECK_INT8 && p->k.dtype != XQACHECK_E4M3)
    return "k: its dtype is neither that of q nor int8 nor e4m3";
  if (p->kv_aliased == 0 && p->v.dtype != p->k.dtype) return "v: its dtype is not that of k";
  if (p->out.dtype != p->q.dtype && p->out.dtype != XQACHECK_E4M3) return "out: its dtype is neither that of q nor e4m3";
  if (p->seq_lens.dtype != XQACHECK_UINT32) return "seq_lens: its dtype is not uint32";
  if (p->page_tokens != 0 && p->page_table.dtype != XQACHECK_INT32) return "page_table: its dtype is not int32";
  if (p->beam_width > 1 && (p->beam_index.dtype != XQACHECK_INT32 || p->beam_context.dtype != XQACHECK_UINT32))
    return "beam_index and beam_context: absent or of another dtype while beam_width is above 1";
  if (p->ragged != 0 && p->row_offsets.dtype != XQACHECK_UINT32) return "row_offsets: absent or not uint32 while ragged is set";
  if (p->sinks.dtype != XQACHECK_NONE && p->sinks.dtype != XQACHECK_FP32) return "sinks: their dtype is not fp32";
  if (p->lse.dtype != XQACHECK_NONE && p->lse.dtype != XQACHECK_FP32) return "lse: its dtype is not fp32";
  return 0;
}

static inline const char* xqacheck_contradicting_variants(const xqacheck_problem* p) {
  if (p->mask_kind > XQACHECK_MASK_TREE) return "mask_kind is unknown";
  if (p->mask_kind == XQACHECK_MASK_TREE && p->mask.dtype != XQACHECK_UINT32) return "mask: absent or not uint32 while mask_kind is TREE";
  if (p->mask.dtype != XQACHECK_NONE && (double)p->mask_words * 32 < (double)p->max_rows)
    return "mask_words: too few for max_rows bits";
  if (p->rope_kind > XQACHECK_ROPE_GPTJ) return "rope_kind is unknown";
  if (p->rope_kind != XQACHECK_ROPE_NONE && (p->rotary_dim == 0 || p->rotary_dim % 16 != 0 || p->rotary_dim > p->head_dim))
    return "rotary_dim is not a multiple of 16 from 16 to head_dim";
  if (p->rope_kind != XQACHECK_ROPE_NONE && p->rope_table.dtype != XQACHECK_FP32) return "rope_table: absent or not fp32 while rope_kind is set";
  if (p->lse.dtype != XQACHECK_NONE && !(p->lse_base > 1)) return "lse_base is not above 1";
  if (!(p->skip_softmax_factor >= 0)) return "skip_softmax_factor is negative or NaN";
  return 0;
}

static inline const char* xqacheck_contradicting_extents(const xqacheck_problem* p) {
  const double pages = p->page_tokens != 0 ? (double)p->pages_in_pool : (double)p->requests * p->beam_width;
  const double tokens = p->page_tokens != 0 ? (double)p->page_tokens : (double)p->max_seq_len;
  const double columns = (double)p->table_columns;
  if (!xqacheck_fits(&p->q, (double)p->total_rows, p->q_stride_row, (double)p->q_heads, p->q_stride_head, 1, 0, (double)p->head_dim))
    return "q: its strides lead outside of its bytes";
  if (!xqacheck_fits(&p->k, pages, p->k_stride_page, (double)p->kv_heads, p->k_stride_head, tokens, p->k_stride_token, (double)p->head_dim))
    return "k: its strides lead outside of its bytes";
  if (p->kv_aliased == 0 && !xqacheck_fits(&p->v, pages, p->v_stride_page, (double)p->kv_heads, p->v_stride_head, tokens,
                                           p->v_stride_token, (double)p->head_dim_v))
    return "v: its strides lead outside of its bytes";
  if (!xqacheck_fits(&p->out, (double)p->total_rows, p->out_stride_row, (double)p->q_heads, p->out_stride_head, 1, 0, (double)p->head_dim_v))
    return "out: its strides lead outside of its bytes";
  if (p->page_tokens != 0 &&
      !xqacheck_fits(&p->page_table, (double)p->requests, p->table_stride_request, (double)p->beam_width, p->table_stride_beam,
                     p->table_stride_v != 0 ? 2 : 1, p->table_stride_v, columns))
    return "page_table: its strides lead outside of its bytes";
  return 0;
}

/* NULL, or the field and what is wrong with it. */
static inline const char* xqacheck_contradiction(const xqacheck_problem* p) {
  const char* fault;
  if (p->struct_bytes < sizeof(xqacheck_problem)) return "struct_bytes is less than that of ABI version 1";
  fault = xqacheck_contradicting_sizes(p);
  if (!fault) fault = xqacheck_contradicting_dtypes(p);
  if (!fault) fault = xqacheck_contradicting_variants(p);
  if (!fault) fault = xqacheck_contradicting_extents(p);
  return fault;
}

#endif
