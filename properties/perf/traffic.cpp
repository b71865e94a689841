#include "properties/perf/traffic.hpp"

#include <algorithm>
#include <vector>

#include "reference/gather.hpp"

namespace xqacheck::properties::perf {
namespace {

using reference::TensorId;

// Stored tokens by (page, slot): a token that several requests or beams read counts once.
class StoredTokens {
 public:
  explicit StoredTokens(const xqacheck_problem& p)
      : slots_(p.page_tokens != 0 ? p.page_tokens : p.max_seq_len),
        seen_((p.page_tokens != 0 ? std::uint64_t{p.pages_in_pool} : std::uint64_t{p.requests} * p.beam_width) * slots_) {}

  void see(std::uint64_t page, std::uint64_t slot) {
    std::vector<bool>::reference token = seen_.at(page * slots_ + slot);
    count_ += !token;
    token = true;
  }
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t slots_;
  std::vector<bool> seen_;
  std::uint64_t count_ = 0;
};

// First token that the first row of a request sees; later rows see nothing older.
std::uint32_t first_visible(const xqacheck_problem& p, std::uint32_t length, std::uint32_t rows) {
  if (p.window == 0) return 0;
  const std::int64_t begin = std::int64_t{length} - rows + 1 - p.window;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(begin, 0));
}

}  // namespace

Traffic traffic_of(const reference::Problem& problem) {
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  const reference::KvView view(p);
  StoredTokens k(p), v(p);
  Traffic traffic;
  for (std::uint32_t b = 0; b < p.requests; ++b) {
    const std::uint32_t length = view.seq_len(b), begin = first_visible(p, length, view.rows(b));
    for (std::uint32_t w = 0; w < p.beam_width; ++w)
      for (std::uint32_t t = begin; t < length; ++t) {
        const std::uint64_t slot = p.page_tokens != 0 ? t % p.page_tokens : t;
        k.see(view.page(false, b, w, t), slot);
        if (p.kv_aliased == 0) v.see(view.page(true, b, w, t), slot);
      }
    if (p.page_tokens != 0 && length > begin) {
      const std::uint64_t entries = (length - 1) / p.page_tokens - begin / p.page_tokens + 1;
      traffic.other_bytes += entries * p.beam_width * (p.table_stride_v != 0 ? 2 : 1) * sizeof(std::int32_t);
    }
  }
  const std::uint64_t element = reference::bytes_of_abi(p.k.dtype);
  traffic.kv_bytes = (k.count() * p.head_dim + v.count() * p.head_dim_v) * p.kv_heads * element;
  const std::uint64_t cells = std::uint64_t{p.total_rows} * p.q_heads;
  traffic.other_bytes += cells * p.head_dim * reference::bytes_of_abi(p.q.dtype) +
                         cells * p.head_dim_v * reference::bytes_of_abi(p.out.dtype) + problem.lse_bytes();
  for (const TensorId id : {TensorId::seq_lens, TensorId::mask, TensorId::depths, TensorId::row_offsets, TensorId::sinks,
                            TensorId::beam_index, TensorId::beam_context, TensorId::k_new, TensorId::v_new,
                            TensorId::qkv_bias})
    traffic.other_bytes += problem.tensor(id).size();
  return traffic;
}

}  // namespace xqacheck::properties::perf
