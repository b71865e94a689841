#include "reference/gather.hpp"

#include <fmt/format.h>

namespace xqacheck::reference {
namespace {

void below(const char* field, std::uint64_t index, std::uint64_t limit, const char* what) {
  if (index >= limit) throw GatherError(field, fmt::format("{} {} is not below {}", what, index, limit));
}

// Elements [first, first + count) of the tensor, which must exist and hold them. 128 bits: strides are the caller's.
std::uint64_t inside(const char* field, const xqacheck_tensor& tensor, __int128 first, std::uint64_t count) {
  const std::size_t element = bytes_of_abi(tensor.dtype);
  if (tensor.data == nullptr || element == 0) throw GatherError(field, "is absent");
  if (first < 0) throw GatherError(field, "a negative element offset: a stride or page is negative");
  if ((first + count) * static_cast<__int128>(element) > tensor.bytes) {
    throw GatherError(field, fmt::format("element {} + {} lies outside its {} bytes", static_cast<std::uint64_t>(first),
                                         count, tensor.bytes));
  }
  return static_cast<std::uint64_t>(first);
}

template <class T>
T load(const char* field, const xqacheck_tensor& tensor, __int128 index) {
  return static_cast<const T*>(tensor.data)[inside(field, tensor, index, 1)];
}

}  // namespace

std::size_t bytes_of_abi(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
    case XQACHECK_BF16:
      return 2;
    case XQACHECK_FP32:
    case XQACHECK_INT32:
    case XQACHECK_UINT32:
      return 4;
    case XQACHECK_INT8:
    case XQACHECK_E4M3:
      return 1;
    default:
      return 0;
  }
}

std::uint32_t KvView::seq_len(std::uint32_t request) const {
  below("requests", request, p_.requests, "request");
  const auto len = load<std::uint32_t>("seq_lens", p_.seq_lens, request);
  if (len > p_.max_seq_len) {
    throw GatherError("seq_lens",
                      fmt::format("request {} has {} tokens, max_seq_len is {}", request, len, p_.max_seq_len));
  }
  return len;
}

std::uint32_t KvView::rows(std::uint32_t request) const {
  below("requests", request, p_.requests, "request");
  if (!p_.ragged) return p_.max_rows;
  const auto begin = load<std::uint32_t>("row_offsets", p_.row_offsets, request);
  const auto end = load<std::uint32_t>("row_offsets", p_.row_offsets, request + __int128{1});
  if (end < begin || end > p_.total_rows || end - begin > p_.max_rows) {
    throw GatherError("row_offsets", fmt::format("request {} has rows {} to {}", request, begin, end));
  }
  return end - begin;
}

std::uint32_t KvView::first_row(std::uint32_t request) const {
  below("requests", request, p_.requests, "request");
  return p_.ragged ? load<std::uint32_t>("row_offsets", p_.row_offsets, request)
                   : request * p_.max_rows * p_.beam_width;
}

std::uint32_t KvView::source_beam(std::uint32_t request, std::uint32_t beam, std::uint32_t token) const {
  below("beam_width", beam, p_.beam_width, "beam");
  below("seq_lens", token, seq_len(request), "token");
  if (p_.beam_width == 1) return 0;
  if (token < load<std::uint32_t>("beam_context", p_.beam_context, request)) return 0;
  const __int128 index = (__int128{request} * p_.beam_width + beam) * p_.max_seq_len + token;
  const auto source = load<std::int32_t>("beam_index", p_.beam_index, index);
  if (source < 0) throw GatherError("beam_index", fmt::format("beam {} of request {} is negative", source, request));
  below("beam_index", static_cast<std::uint32_t>(source), p_.beam_width, "beam");
  return static_cast<std::uint32_t>(source);
}

std::uint64_t KvView::page(bool is_v, std::uint32_t request, std::uint32_t beam, std::uint32_t token) const {
  const std::uint32_t source = source_beam(request, beam, token);
  if (p_.page_tokens == 0) return std::uint64_t{request} * p_.beam_width + source;
  below("table_columns", token / p_.page_tokens, p_.table_columns, "block");
  const __int128 entry = __int128{request} * p_.table_stride_request + __int128{source} * p_.table_stride_beam +
                         (is_v ? p_.table_stride_v : 0) + token / p_.page_tokens;
  const auto id = load<std::int32_t>("page_table", p_.page_table, entry);
  if (id < 0)
    throw GatherError("page_table", fmt::format("page {} of token {} of request {} is negative", id, token, request));
  below("page_table", static_cast<std::uint32_t>(id), p_.pages_in_pool, "page");
  return static_cast<std::uint64_t>(id);
}

std::uint64_t KvView::kv_row(bool is_v, std::uint32_t request, std::uint32_t beam, std::uint32_t token,
                             std::uint32_t head) const {
  below("kv_heads", head, p_.kv_heads, "head");
  const __int128 id = page(is_v, request, beam, token);
  const std::uint32_t inner = p_.page_tokens == 0 ? token : token % p_.page_tokens;
  const __int128 first =
      is_v ? id * p_.v_stride_page + __int128{head} * p_.v_stride_head + __int128{inner} * p_.v_stride_token
           : id * p_.k_stride_page + __int128{head} * p_.k_stride_head + __int128{inner} * p_.k_stride_token;
  return is_v ? inside("v", p_.v, first, p_.head_dim_v) : inside("k", p_.k, first, p_.head_dim);
}

std::uint64_t KvView::k_row(std::uint32_t request, std::uint32_t beam, std::uint32_t token, std::uint32_t head) const {
  return kv_row(false, request, beam, token, head);
}

std::uint64_t KvView::v_row(std::uint32_t request, std::uint32_t beam, std::uint32_t token, std::uint32_t head) const {
  return kv_row(true, request, beam, token, head);
}

std::uint64_t KvView::q_row(std::uint32_t row, std::uint32_t head) const {
  below("total_rows", row, p_.total_rows, "row");
  below("q_heads", head, p_.q_heads, "head");
  return inside("q", p_.q, __int128{row} * p_.q_stride_row + __int128{head} * p_.q_stride_head, p_.head_dim);
}

}  // namespace xqacheck::reference
