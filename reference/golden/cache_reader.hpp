// Rows of K and V as the attention reads them: page table, strides, beams and appended tokens (doc/golden.md G6 to G9).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/append.hpp"
#include "reference/golden/sequence.hpp"

namespace xqacheck::reference {

// One token of one KV head: stored elements (`raw`, of the cache's dtype) or appended numbers (`values`).
struct TokenRow {
  const std::byte* raw = nullptr;
  const double* values = nullptr;
};

class CacheReader {
 public:
  CacheReader(const xqacheck_problem& problem, const Appended& appended) : problem_(problem), appended_(appended) {}

  // Throw std::out_of_range when a page id, a page table entry or an element lies outside of what the problem holds.
  TokenRow k(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const;
  TokenRow v(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const;

  // Element index of channel 0 of a token in the sequence's own beam, in K or V.
  std::int64_t own_index(const Sequence& s, std::uint32_t kv_head, std::int64_t token, bool is_v) const {
    return index_of(s, s.beam, kv_head, token, is_v);
  }

  // How far a correct kernel's numbers may be off for an appended token, 0 for others: norm of the K row, most of any
  // channel of the V row; in cache units.
  double k_gap(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const;
  double v_gap(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const;

 private:
  bool is_appended(const Sequence& s, std::int64_t token) const;
  std::uint64_t appended_index(const Sequence& s, std::uint32_t kv_head, std::int64_t token) const;
  std::uint32_t source_beam(const Sequence& s, std::int64_t token) const;
  std::int64_t index_of(const Sequence& s, std::uint32_t beam, std::uint32_t kv_head, std::int64_t token,
                        bool is_v) const;
  std::int64_t page(const Sequence& s, std::uint32_t beam, std::int64_t token, std::int64_t table_offset) const;

  const xqacheck_problem& problem_;
  const Appended& appended_;
};

}  // namespace xqacheck::reference
