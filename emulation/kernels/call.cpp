#include "emulation/kernels/call.hpp"

namespace xqacheck::emulation {

namespace {

template <class T>
const T* data(const xqacheck_tensor& tensor) { return static_cast<const T*>(tensor.data); }

float value_of(const xqacheck_scale& scale) { return scale.pointer != nullptr ? *scale.pointer : scale.value; }

}  // namespace

arith::Format format_of(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16: return arith::Format::f16;
    case XQACHECK_BF16: return arith::Format::bf16;
    case XQACHECK_E4M3: return arith::Format::e4m3;
    case XQACHECK_INT8: return arith::Format::s8;
    default: return arith::Format::f32;
  }
}

Call::Call(const xqacheck_problem& p)
    : problem(p), requests(p.requests), kv_heads(p.kv_heads), group(p.q_heads / p.kv_heads), dim(p.head_dim),
      beams(p.beam_width), draft(p.mask_kind != XQACHECK_MASK_NONE), half(format_of(p.q.dtype)),
      cache(format_of(p.k.dtype)), e4m3_out(p.out.dtype == XQACHECK_E4M3), q_scale(value_of(p.q_scale)),
      kv_scale(cache == half ? 1.0f : value_of(p.k_scale)), rcp_out_scale(e4m3_out ? value_of(p.rcp_out_scale) : 1.0f) {}

std::uint32_t Call::seq_len(std::uint32_t request) const { return data<std::uint32_t>(problem.seq_lens)[request]; }

std::uint32_t Call::query_rows(std::uint32_t request) const {
  if (!draft) return 1;
  if (problem.ragged == 0) return problem.max_rows;
  const auto* offsets = data<std::uint32_t>(problem.row_offsets);
  return offsets[request + 1] - offsets[request];
}

std::uint32_t Call::first_row(std::uint32_t request) const {
  if (problem.ragged != 0) return data<std::uint32_t>(problem.row_offsets)[request];
  return request * (draft ? problem.max_rows : beams);
}

bool Call::mask_bit(std::uint32_t request, std::uint32_t draft_row, std::uint32_t draft_token) const {
  const std::uint64_t row = std::uint64_t{first_row(request)} + draft_row;
  const std::uint32_t word = data<std::uint32_t>(problem.mask)[row * problem.mask_words + draft_token / 32];
  return (word >> (draft_token % 32) & 1u) != 0;
}

float Call::sink(std::uint32_t q_head) const { return has_sinks() ? data<float>(problem.sinks)[q_head] : 0.0f; }

std::uint32_t Call::source_beam(std::uint32_t request, std::uint32_t beam, std::uint32_t token) const {
  if (beams == 1) return 0;
  if (token < data<std::uint32_t>(problem.beam_context)[request]) return 0;
  const auto* index = data<std::int32_t>(problem.beam_index);
  return static_cast<std::uint32_t>(index[(std::uint64_t{request} * beams + beam) * problem.max_seq_len + token]);
}

std::int64_t Call::page_of(std::uint32_t request, std::uint32_t beam, std::uint32_t block, bool value) const {
  if (problem.page_tokens == 0) return std::int64_t{request} * beams + beam;
  const std::int64_t entry = std::int64_t{request} * problem.table_stride_request + std::int64_t{beam} * problem.table_stride_beam +
                             block + (value ? problem.table_stride_v : 0);
  return data<std::int32_t>(problem.page_table)[entry];
}

std::int64_t Call::k_offset(std::uint32_t request, std::uint32_t beam, std::uint32_t kv_head, std::uint32_t token) const {
  const std::uint32_t page_tokens = problem.page_tokens == 0 ? problem.max_seq_len : problem.page_tokens;
  const std::int64_t page = page_of(request, source_beam(request, beam, token), token / page_tokens, false);
  if (page < 0) return kNowhere;  // a negative page is filled with zeros
  return page * problem.k_stride_page + std::int64_t{kv_head} * problem.k_stride_head +
         std::int64_t{token % page_tokens} * problem.k_stride_token;
}

std::int64_t Call::v_offset(std::uint32_t request, std::uint32_t beam, std::uint32_t kv_head, std::uint32_t token) const {
  const std::uint32_t page_tokens = problem.page_tokens == 0 ? problem.max_seq_len : problem.page_tokens;
  const std::int64_t page = page_of(request, source_beam(request, beam, token), token / page_tokens, true);
  if (page < 0) return kNowhere;
  return page * problem.v_stride_page + std::int64_t{kv_head} * problem.v_stride_head +
         std::int64_t{token % page_tokens} * problem.v_stride_token;
}

std::int64_t Call::q_offset(std::uint32_t row, std::uint32_t head) const {
  return std::int64_t{row} * problem.q_stride_row + std::int64_t{head} * problem.q_stride_head;
}

std::int64_t Call::out_offset(std::uint32_t row, std::uint32_t head) const {
  return std::int64_t{row} * problem.out_stride_row + std::int64_t{head} * problem.out_stride_head;
}

}  // namespace xqacheck::emulation
