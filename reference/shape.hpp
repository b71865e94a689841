// Shape: every size and stride that follows from a case, in elements. The one place that knows the layouts.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/case.hpp"

namespace xqacheck::reference {

struct KvStrides {
  std::int64_t page = 0, head = 0, token = 0;  // elements
};

struct Shape {
  std::uint32_t requests = 0, beams = 0;
  std::uint32_t max_seq_len = 0;  // capacity in tokens
  std::uint32_t page_tokens = 0;  // tokens of a page, or of a whole request when contiguous
  std::uint32_t columns = 0;      // page table entries of one request and beam; 0 when contiguous
  std::uint32_t max_rows = 0;
  std::uint32_t mask_words = 0;          // 0 without drafts
  std::uint32_t rotary_dim = 0;          // 0 without RoPE
  std::vector<std::uint32_t> first_row;  // [B + 1] rows of q, beams counted
  KvStrides k, v;                        // equal for MLA
  std::int64_t q_stride_head = 0, q_stride_row = 0;
  std::int64_t out_stride_head = 0, out_stride_row = 0;
  std::int64_t table_stride_beam = 0, table_stride_request = 0, table_stride_v = 0;

  std::uint32_t total_rows() const { return first_row.back(); }
};

// Assumes the limits of reference/case_limits.hpp; see `validate`.
Shape shape_of(const Case& c);

// Tokens below this are shared by the beams of a request; 0 without beams. Never counts tokens that RoPE appends.
std::uint32_t shared_context(const Case& c, std::uint32_t request);

// Tokens of a request that lie in the cache before the call: its length, less the rows that fused RoPE appends.
std::uint32_t cached_tokens(const Case& c, std::uint32_t request);

// Blocks (pages) that a request and beam needs for its whole length.
std::uint32_t blocks_of(const Case& c, std::uint32_t request);

// Upper bound on the bytes of all tensors (a far pool counts as the pages it uses), for the limit check. Never
// overflows.
double estimated_bytes(const Case& c);

}  // namespace xqacheck::reference
