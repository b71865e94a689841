#include "reference/golden/sequence.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reference/golden/tensor.hpp"

namespace xqacheck::reference {
namespace {

[[noreturn]] void contradiction(const std::string& text) {
  throw std::invalid_argument("golden: " + text);
}

std::uint32_t beams(const xqacheck_problem& p) {
  return std::max(p.beam_width, 1u);
}

}  // namespace

Sight::Sight(const xqacheck_problem& problem) : problem_(problem) {
  const xqacheck_problem& p = problem;
  if (p.kv_heads == 0 || p.q_heads % p.kv_heads != 0) contradiction("q_heads must be a multiple of kv_heads");
  if (p.head_dim == 0 || p.head_dim_v == 0) contradiction("head_dim and head_dim_v must not be 0");
  if (p.head_dim % 16 != 0 || p.head_dim_v % 16 != 0) contradiction("head_dim and head_dim_v must be multiples of 16");
  if (p.kv_aliased != 0 && p.head_dim_v > p.head_dim) contradiction("kv_aliased needs head_dim_v <= head_dim");
  std::uint64_t next = 0;
  for (std::uint32_t b = 0; b < p.requests; ++b) {
    std::uint64_t first = next, rows = p.max_rows;
    if (p.ragged != 0) {
      const auto begin = value_at<std::uint32_t>(p.row_offsets, "row_offsets", b);
      const auto end = value_at<std::uint32_t>(p.row_offsets, "row_offsets", b + 1);
      if (end < begin) contradiction("row_offsets decrease at request " + std::to_string(b));
      first = std::uint64_t{begin} * beams(p);
      rows = end - begin;
    }
    const auto length = value_at<std::uint32_t>(p.seq_lens, "seq_lens", b);
    if (length > p.max_seq_len) {
      contradiction("seq_lens[" + std::to_string(b) + "] = " + std::to_string(length) +
                    " is above max_seq_len = " + std::to_string(p.max_seq_len));
    }
    if (length != 0 && length < rows) {
      contradiction("seq_lens[" + std::to_string(b) + "] = " + std::to_string(length) + " is below the " +
                    std::to_string(rows) + " query rows of the request");
    }
    for (std::uint32_t w = 0; w < beams(p); ++w) {
      Sequence s;
      s.request = b;
      s.beam = w;
      s.length = length;
      s.rows = static_cast<std::uint32_t>(rows);
      s.first_row = first + w * rows;
      s.first_seen = s.length;
      for (std::uint32_t i = 0; i < s.rows; ++i) s.first_seen = std::min(s.first_seen, window_start(s, i));
      sequences_.push_back(s);
    }
    next = first + rows * beams(p);
    if (next > p.total_rows) {
      contradiction("total_rows = " + std::to_string(p.total_rows) + " is below the " + std::to_string(next) +
                    " rows of requests 0 to " + std::to_string(b));
    }
  }
}

std::uint32_t Sight::depth(const Sequence& s, std::uint32_t i) const {
  if (problem_.depths.data == nullptr) return i;
  return value_at<std::uint32_t>(problem_.depths, "depths", static_cast<std::int64_t>(s.first_row + i));
}

std::int64_t Sight::window_start(const Sequence& s, std::uint32_t i) const {
  if (problem_.window == 0 || s.length == 0) return 0;
  const std::int64_t start = s.drafts_begin() + 1 + depth(s, i) - std::int64_t{problem_.window};
  return std::clamp<std::int64_t>(start, 0, s.length);
}

bool Sight::allows(const Sequence& s, std::uint32_t i, std::uint64_t draft) const {
  if (problem_.mask_kind == XQACHECK_MASK_NONE) return true;
  if (problem_.mask_kind == XQACHECK_MASK_CAUSAL && problem_.mask.data == nullptr) return draft <= i;
  const auto index = static_cast<std::int64_t>((s.first_row + i) * problem_.mask_words + draft / 32);
  return (value_at<std::uint32_t>(problem_.mask, "mask", index) >> draft % 32 & 1u) != 0;
}

bool Sight::sees(const Sequence& s, std::uint32_t i, std::int64_t token) const {
  if (token < window_start(s, i) || token >= s.length) return false;
  return token < s.drafts_begin() || allows(s, i, static_cast<std::uint64_t>(token - s.drafts_begin()));
}

bool Sight::seen_by_any(const Sequence& s, std::int64_t token) const {
  for (std::uint32_t i = 0; i < s.rows; ++i) {
    if (sees(s, i, token)) return true;
  }
  return false;
}

}  // namespace xqacheck::reference
