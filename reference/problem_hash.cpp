#include "reference/problem_hash.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <xxhash.h>

namespace xqacheck::reference {
namespace {

constexpr std::size_t kBlock = 4096;  // smallest page of a memory file; written ranges are whole numbers of it

class Hash {
 public:
  Hash() : state_(XXH64_createState(), XXH64_freeState) { XXH64_reset(state_.get(), 0); }
  void bytes(const void* data, std::size_t count) { XXH64_update(state_.get(), data, count); }
  template <class T>
  void value(T number) {
    const auto wide = static_cast<std::int64_t>(number);
    bytes(&wide, sizeof wide);
  }
  std::uint64_t digest() const { return XXH64_digest(state_.get()); }

 private:
  std::unique_ptr<XXH64_state_t, XXH_errorcode (*)(XXH64_state_t*)> state_;
};

void add_buffer(Hash& hash, const HostBuffer& buffer) {
  static constexpr std::byte kZeros[kBlock] = {};
  hash.value(buffer.size());
  for (const HostBuffer::Range& range : buffer.written_ranges()) {
    const std::size_t end = range.offset + range.bytes;
    for (std::size_t at = range.offset; at < end; at += kBlock) {
      const std::size_t count = std::min(kBlock, end - at);
      if (std::memcmp(buffer.data() + at, kZeros, count) == 0) continue;
      hash.value(at);
      hash.bytes(buffer.data() + at, count);
    }
  }
}

void add_float(Hash& hash, float number) {
  hash.bytes(&number, sizeof number);
}

}  // namespace

std::uint64_t problem_hash(const Problem& problem) {
  const xqacheck_problem& d = problem.description;
  Hash hash;
  for (std::uint32_t n : {d.requests,    d.q_heads,  d.kv_heads,   d.head_dim,    d.head_dim_v,    d.beam_width,
                          d.max_seq_len, d.max_rows, d.total_rows, d.page_tokens, d.pages_in_pool, d.table_columns,
                          d.kv_aliased,  d.window,   d.mask_kind,  d.mask_words,  d.ragged,        d.rope_kind,
                          d.rotary_dim,  d.q.dtype,  d.k.dtype,    d.v.dtype,     d.out.dtype,     d.lse.dtype}) {
    hash.value(n);
  }
  for (std::int64_t stride : {d.table_stride_request, d.table_stride_beam, d.table_stride_v, d.q_stride_row,
                              d.q_stride_head, d.k_stride_page, d.k_stride_head, d.k_stride_token, d.v_stride_page,
                              d.v_stride_head, d.v_stride_token, d.out_stride_row, d.out_stride_head}) {
    hash.value(stride);
  }
  add_float(hash, d.skip_softmax_factor);
  for (const HostBuffer& buffer : problem.tensors) add_buffer(hash, buffer);
  return hash.digest();
}

}  // namespace xqacheck::reference
