#include "reference/golden/cache_reader.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {

bool CacheReader::is_appended(const Sequence& s, std::int64_t token) const {
  return appended_.present() && token >= s.drafts_begin();
}

std::uint64_t CacheReader::appended_index(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const {
  const std::uint64_t first_of_request = s.first_row - std::uint64_t{s.beam} * s.rows;
  const std::uint64_t row = first_of_request + std::uint64_t{source_beam(s, token)} * s.rows +
                            static_cast<std::uint64_t>(token - s.drafts_begin());
  return row * problem_.kv_heads + kv_head;
}

std::uint32_t CacheReader::source_beam(const Sequence& s, std::int64_t token) const {
  const xqacheck_problem& p = problem_;
  if (p.beam_width <= 1 || p.beam_index.data == nullptr) return s.beam;
  if (p.beam_context.data != nullptr &&
      token < std::int64_t{value_at<std::uint32_t>(p.beam_context, "beam_context", s.request)}) {
    return 0;
  }
  const std::int64_t entry = (std::int64_t{s.request} * p.beam_width + s.beam) * p.max_seq_len + token;
  const auto beam = value_at<std::int32_t>(p.beam_index, "beam_index", entry);
  if (beam < 0 || static_cast<std::uint32_t>(beam) >= p.beam_width) {
    throw std::out_of_range("golden: beam_index of request " + std::to_string(s.request) + ", beam " +
                            std::to_string(s.beam) + ", token " + std::to_string(token) + " is " +
                            std::to_string(beam) + ", outside [0, " + std::to_string(p.beam_width) + ")");
  }
  return static_cast<std::uint32_t>(beam);
}

std::int64_t CacheReader::page(const Sequence& s, std::uint32_t beam, std::int64_t token,
                               std::int64_t table_offset) const {
  const xqacheck_problem& p = problem_;
  if (p.page_tokens == 0) return std::int64_t{s.request} * std::max(p.beam_width, 1u) + beam;
  const std::int64_t entry =
      s.request * p.table_stride_request + beam * p.table_stride_beam + token / p.page_tokens + table_offset;
  const auto id = value_at<std::int32_t>(p.page_table, "page_table", entry);
  if (id < 0 || static_cast<std::uint32_t>(id) >= p.pages_in_pool) {
    throw std::out_of_range("golden: page_table of request " + std::to_string(s.request) + ", beam " +
                            std::to_string(beam) + ", block " + std::to_string(token / p.page_tokens) + " is " +
                            std::to_string(id) + ", outside [0, pages_in_pool = " + std::to_string(p.pages_in_pool) +
                            ")");
  }
  return id;
}

std::int64_t CacheReader::index_of(const Sequence& s, std::uint32_t beam, std::uint32_t kv_head, std::int64_t token,
                                   bool is_v) const {
  const xqacheck_problem& p = problem_;
  const std::int64_t slot = p.page_tokens == 0 ? token : token % p.page_tokens;
  if (is_v) {
    return page(s, beam, token, p.table_stride_v) * p.v_stride_page + kv_head * p.v_stride_head +
           slot * p.v_stride_token;
  }
  return page(s, beam, token, 0) * p.k_stride_page + kv_head * p.k_stride_head + slot * p.k_stride_token;
}

TokenRow CacheReader::k(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const {
  const xqacheck_problem& p = problem_;
  if (is_appended(s, token)) {
    return {nullptr, appended_.k.data() + appended_index(s, kv_head, token) * p.head_dim};
  }
  return {elements(p.k, "k", index_of(s, source_beam(s, token), kv_head, token, false), p.head_dim), nullptr};
}

TokenRow CacheReader::v(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const {
  const xqacheck_problem& p = problem_;
  if (p.kv_aliased != 0) return k(s, kv_head, token);
  if (is_appended(s, token)) {
    return {nullptr, appended_.v.data() + appended_index(s, kv_head, token) * p.head_dim_v};
  }
  return {elements(p.v, "v", index_of(s, source_beam(s, token), kv_head, token, true), p.head_dim_v), nullptr};
}

double CacheReader::k_gap(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const {
  return is_appended(s, token) ? appended_.k_gap[appended_index(s, kv_head, token)] : 0;
}

double CacheReader::v_gap(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const {
  return is_appended(s, token) ? appended_.v_gap[appended_index(s, kv_head, token)] : 0;
}

}  // namespace xqacheck::reference
