// Call: an xqacheck_problem as a kernel sees it. Sizes, what a row may see, and where the bytes of a token are.
//
// A "row" is one query vector: (draft token or beam, query head). Requests are independent; query heads of a KV head are
// adjacent. Element offsets follow kernels/abi/xqacheck_kernel.h.
#pragma once

#include <cstdint>

#include "emulation/arith/format.hpp"
#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::emulation {

class Call {
 public:
  explicit Call(const xqacheck_problem& problem);

  const xqacheck_problem& problem;
  std::uint32_t requests, kv_heads, group, dim, beams;
  bool draft;                    // draft tokens to verify, else one query row a request (times beams)
  arith::Format half;            // format of q
  arith::Format cache;           // format of K and V
  bool e4m3_out;
  float q_scale, kv_scale, rcp_out_scale;  // kv_scale is 1 for 16-bit caches

  std::uint32_t padded_dim() const { return dim <= 64 ? 64 : dim <= 128 ? 128 : dim <= 256 ? 256 : 512; }
  std::uint32_t seq_len(std::uint32_t request) const;
  std::uint32_t query_rows(std::uint32_t request) const;  // draft tokens of the request; 1 for decode
  std::uint32_t first_row(std::uint32_t request) const;   // of q, out and mask
  bool mask_bit(std::uint32_t request, std::uint32_t draft_row, std::uint32_t draft_token) const;
  float sink(std::uint32_t q_head) const;                 // 0 where there are none: ask has_sinks() first
  bool has_sinks() const { return problem.sinks.data != nullptr; }

  // Element offset of channel 0 of a token in the K or V tensor; kNowhere when no page holds the token.
  static constexpr std::int64_t kNowhere = -1;
  std::int64_t k_offset(std::uint32_t request, std::uint32_t beam, std::uint32_t kv_head, std::uint32_t token) const;
  std::int64_t v_offset(std::uint32_t request, std::uint32_t beam, std::uint32_t kv_head, std::uint32_t token) const;

  std::int64_t q_offset(std::uint32_t row, std::uint32_t head) const;
  std::int64_t out_offset(std::uint32_t row, std::uint32_t head) const;

 private:
  std::int64_t page_of(std::uint32_t request, std::uint32_t beam, std::uint32_t block, bool value) const;
  std::uint32_t source_beam(std::uint32_t request, std::uint32_t beam, std::uint32_t token) const;
};

arith::Format format_of(std::uint32_t dtype);  // of an xqacheck_dtype

}  // namespace xqacheck::emulation
