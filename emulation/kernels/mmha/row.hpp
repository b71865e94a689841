// Which row of q a block answers, what it may see and where its tokens lie.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::emulation::mmha {

struct Row {
  std::uint32_t request = 0, beam = 0;
  std::uint32_t first = 0, count = 1, index = 0;  // first row and rows of the (request, beam); own number among them
  std::int64_t length = 0, oldest_draft = 0, begin = 0;  // tokens; those before `begin` are outside the window
};

template <class T>
const T* data_of(const xqacheck_tensor& tensor) {
  return static_cast<const T*>(tensor.data);
}

inline float value_of(const xqacheck_scale& scale) {
  return scale.pointer != nullptr ? *scale.pointer : scale.value;
}

inline Row row_of(const xqacheck_problem& p, std::uint32_t row) {
  Row r;
  if (p.ragged != 0) {
    const auto* offsets = data_of<std::uint32_t>(p.row_offsets);
    while (r.request + 1 < p.requests && offsets[r.request + 1] * p.beam_width <= row) ++r.request;
    r.first = offsets[r.request], r.count = offsets[r.request + 1] - offsets[r.request];
  } else {
    r.request = row / (p.max_rows * p.beam_width), r.first = r.request * p.max_rows, r.count = p.max_rows;
  }
  const std::uint32_t inside = row - r.first * p.beam_width;
  r.beam = inside / r.count, r.index = inside % r.count;
  r.first = r.first * p.beam_width + r.beam * r.count;
  r.length = data_of<std::uint32_t>(p.seq_lens)[r.request];
  r.oldest_draft = r.length - r.count;
  const std::int64_t depth = p.depths.data != nullptr ? data_of<std::uint32_t>(p.depths)[r.first + r.index] : r.index;
  if (p.window != 0) r.begin = std::max<std::int64_t>(0, r.oldest_draft + 1 + depth - p.window);
  return r;
}

inline bool visible(const xqacheck_problem& p, const Row& r, std::int64_t token) {
  if (token < r.begin || token >= r.length) return false;
  const std::int64_t draft = token - r.oldest_draft;
  if (draft < 0 || p.mask_kind == XQACHECK_MASK_NONE) return true;
  if (p.mask.data == nullptr) return draft <= r.index;
  const auto* bits = data_of<std::uint32_t>(p.mask) + std::int64_t{r.first + r.index} * p.mask_words;
  return (bits[draft / 32] >> (draft % 32) & 1u) != 0;
}

// Element index of channel 0 of a cached token of one KV head.
inline std::int64_t cache_index(const xqacheck_problem& p, const Row& r, std::uint32_t kv_head, std::int64_t token,
                                bool is_v) {
  std::uint32_t beam = r.beam;
  if (p.beam_width > 1) {
    const std::int64_t entry = (std::int64_t{r.request} * p.beam_width + beam) * p.max_seq_len + token;
    beam = token < data_of<std::uint32_t>(p.beam_context)[r.request]
               ? 0u
               : static_cast<std::uint32_t>(data_of<std::int32_t>(p.beam_index)[entry]);
  }
  std::int64_t page = std::int64_t{r.request} * p.beam_width + beam, slot = token;
  if (p.page_tokens != 0) {
    const std::int64_t entry =
        r.request * p.table_stride_request + beam * p.table_stride_beam + (is_v ? p.table_stride_v : 0);
    page = data_of<std::int32_t>(p.page_table)[entry + token / p.page_tokens];
    slot = token % p.page_tokens;
  }
  return is_v ? page * p.v_stride_page + kv_head * p.v_stride_head + slot * p.v_stride_token
              : page * p.k_stride_page + kv_head * p.k_stride_head + slot * p.k_stride_token;
}

}  // namespace xqacheck::emulation::mmha
