// Where things are and who sees what: query rows of a sequence, addresses of cached tokens, visibility. A *sequence* is
// one beam of one request; without beam search the two words mean the same.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/flash32/formats.hpp"

namespace xqacheck::kernels::flash32 {

struct Sequence {
  std::uint32_t request, beam;
  std::int64_t length;      // tokens in the cache
  std::uint32_t first_row;  // of q and out
  std::uint32_t rows;       // query rows: draft tokens, or 1
};

template <class T>
const T* pointer(const xqacheck_tensor& tensor) {
  return static_cast<const T*>(tensor.data);
}

inline float value_of(const xqacheck_scale& scale) {
  return scale.pointer != nullptr ? *scale.pointer : scale.value;
}

inline Sequence sequence_at(const xqacheck_problem& p, std::uint32_t request, std::uint32_t beam) {
  std::uint32_t first = request * p.max_rows, rows = p.max_rows;
  if (p.ragged != 0) {
    const auto* offsets = pointer<std::uint32_t>(p.row_offsets);
    first = offsets[request];
    rows = offsets[request + 1] - first;
  }
  return {request, beam, pointer<std::uint32_t>(p.seq_lens)[request], first * p.beam_width + beam * rows, rows};
}

// Depth of a query row below the context: its place in the tree, or simply its number.
inline std::int64_t depth_of(const xqacheck_problem& p, const Sequence& s, std::uint32_t row) {
  return p.depths.dtype != XQACHECK_NONE ? pointer<std::uint32_t>(p.depths)[s.first_row + row] : row;
}

// May row `row` attend token `token`? Older tokens than the drafts always, drafts by their mask bit, both inside the
// window.
inline bool visible(const xqacheck_problem& p, const Sequence& s, std::uint32_t row, std::int64_t token) {
  const std::int64_t oldest_draft = s.length - s.rows, draft = token - oldest_draft;
  if (p.window != 0 && token < oldest_draft + 1 + depth_of(p, s, row) - p.window) return false;
  if (draft < 0 || p.mask_kind == XQACHECK_MASK_NONE) return true;
  if (p.mask.dtype == XQACHECK_NONE) return draft <= row;
  const std::uint32_t* bits = pointer<std::uint32_t>(p.mask) + std::uint64_t{s.first_row + row} * p.mask_words;
  return (bits[draft / 32] >> (draft % 32) & 1u) != 0;
}

inline bool visible_to_any(const xqacheck_problem& p, const Sequence& s, std::int64_t token) {
  for (std::uint32_t row = 0; row < s.rows; ++row)
    if (visible(p, s, row, token)) return true;
  return false;
}

struct CacheStrides {
  std::int64_t table, page, head, token;
};

inline CacheStrides k_strides(const xqacheck_problem& p) {
  return {0, p.k_stride_page, p.k_stride_head, p.k_stride_token};
}

// Aliased V (MLA) is the leading channels of K: same pool, same pages.
inline CacheStrides v_strides(const xqacheck_problem& p) {
  if (p.kv_aliased != 0) return k_strides(p);
  return {p.table_stride_v, p.v_stride_page, p.v_stride_head, p.v_stride_token};
}

// Element index of channel 0 of a cached token of one KV head; `strides` chooses K or V.
inline std::int64_t cache_index(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, std::int64_t token,
                                const CacheStrides& strides) {
  std::uint32_t beam = s.beam;
  if (p.beam_width > 1) {  // the token was written by the beam that this one descends from
    const std::int64_t entry = (std::int64_t{s.request} * p.beam_width + beam) * p.max_seq_len + token;
    const bool shared = token < pointer<std::uint32_t>(p.beam_context)[s.request];
    beam = shared ? 0 : static_cast<std::uint32_t>(pointer<std::int32_t>(p.beam_index)[entry]);
  }
  std::int64_t page = std::int64_t{s.request} * p.beam_width + beam, slot = token;
  if (p.page_tokens != 0) {
    const std::int64_t entry = s.request * p.table_stride_request + beam * p.table_stride_beam + strides.table;
    page = pointer<std::int32_t>(p.page_table)[entry + token / p.page_tokens];
    slot = token % p.page_tokens;
  }
  return page * strides.page + kv_head * strides.head + slot * strides.token;
}

}  // namespace xqacheck::kernels::flash32
