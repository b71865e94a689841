// FileTensors: q, K and V of a case taken from a .safetensors file (`file=PATH#HASH`).
//
//   q  [R, HQ, D]        rows as in the problem: requests in order, drafts or beams inside
//   k  [N, HKV, D]       N = sum of len * beam: requests in order, beams inside, tokens inside
//   v  [N, HKV, DV]      absent for MLA
// F32, F16 or BF16: real values, stored / scale as generated data would be. F8_E4M3 or I8, for a cache of that format:
// stored values as they are. With fused RoPE the last tokens of k and v are what is appended.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/data_source.hpp"

namespace xqacheck::reference {

struct FileTensors {
  std::vector<float> q, k, v;              // real values; v empty for MLA
  std::vector<std::uint64_t> first_row;    // [B] of q
  std::vector<std::uint64_t> first_token;  // [B] of k and v
  std::vector<std::uint32_t> lens;         // [B]
  std::uint32_t q_heads = 0, kv_heads = 0, dim = 0, dim_v = 0;
  bool rows_are_beams = false;

  void q_row(const RowPlace& at, float* out) const;
  void k_row(const RowPlace& at, float* out) const;
  void v_row(const RowPlace& at, float* out) const;
};

// Throws CaseError: unreadable file, other hash (the message has the true one), missing tensor, wrong shape or dtype.
FileTensors load_file_tensors(const Case& c);

}  // namespace xqacheck::reference
