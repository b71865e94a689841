#include <algorithm>
#include <cstring>

#include "properties/draws.hpp"
#include "properties/edit_problem.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

enum class Use : std::uint8_t { gap, unowned, tail, used };

// Use of every element of the K (and, if apart, the V) pool; the strongest use wins where storage is shared.
class PoolMap {
 public:
  PoolMap(const xqacheck_problem& p, const HostBuffer& buffer, bool v_too, bool k_too)
      : p_(p), size_(bytes_of(p.k.dtype)) {
    use_.assign(buffer.size() / size_, Use::gap);
    const auto* base = reinterpret_cast<const std::byte*>(buffer.data());
    if (k_too) mark_all(offset(p.k, base), p.k_stride_page, p.k_stride_head, p.k_stride_token, p.head_dim, 0);
    if (v_too)
      mark_all(offset(p.v, base), p.v_stride_page, p.v_stride_head, p.v_stride_token, p.head_dim_v, p.table_stride_v);
  }
  const std::vector<Use>& use() const { return use_; }

 private:
  std::size_t offset(const xqacheck_tensor& tensor, const std::byte* base) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(tensor.data) - base) / size_;
  }
  std::uint32_t page_tokens() const { return p_.page_tokens ? p_.page_tokens : p_.max_seq_len; }
  std::uint32_t pages() const { return p_.page_tokens ? p_.pages_in_pool : p_.requests * p_.beam_width; }

  void mark_all(std::size_t base, std::int64_t page, std::int64_t head, std::int64_t token, std::uint32_t dims,
                std::int64_t table) {
    const auto mark = [&](std::uint32_t in_page, std::uint32_t in_token, Use use) {
      for (std::uint32_t g = 0; g < p_.kv_heads; ++g) {
        const std::size_t first = base + static_cast<std::size_t>(in_page * page + g * head + in_token * token);
        for (std::size_t i = first; i < first + dims; ++i) use_[i] = std::max(use_[i], use);
      }
    };
    for (std::uint32_t q = 0; q < pages(); ++q)
      for (std::uint32_t t = 0; t < page_tokens(); ++t) mark(q, t, Use::unowned);
    const auto* lengths = static_cast<const std::uint32_t*>(p_.seq_lens.data);
    const auto* entries = static_cast<const std::int32_t*>(p_.page_table.data);
    for (std::uint32_t b = 0; b < p_.requests; ++b)
      for (std::uint32_t w = 0; w < p_.beam_width; ++w) {
        const std::uint32_t end =
            p_.page_tokens ? (lengths[b] + page_tokens() - 1) / page_tokens() * page_tokens() : p_.max_seq_len;
        for (std::uint32_t t = 0; t < end; ++t) {
          const std::int64_t entry = b * p_.table_stride_request + w * p_.table_stride_beam + t / page_tokens() + table;
          const std::int64_t at = entries ? entries[entry] : b * p_.beam_width + w;
          if (at < 0 || at >= pages()) continue;  // a table entry of a request that no row sees
          mark(static_cast<std::uint32_t>(at), t % page_tokens(), t < lengths[b] ? Use::used : Use::tail);
        }
      }
  }

  const xqacheck_problem& p_;
  std::size_t size_;
  std::vector<Use> use_;
};

// Bit patterns of an element for each fill. int8 has no NaN: its extremes are the worst it can hold.
std::uint32_t pattern(std::uint32_t dtype, Fill fill, Draws& draws) {
  const bool negative = draws.one_in(2);
  switch (fill) {
    case Fill::zero:
      return 0;
    case Fill::random:
      return draws.next();
    case Fill::nan:
      switch (dtype) {
        case XQACHECK_FP16:
          return negative ? 0xfc00u : 0x7e00u;  // -Inf, NaN
        case XQACHECK_BF16:
          return negative ? 0xff80u : 0x7fc0u;
        case XQACHECK_E4M3:
          return negative ? 0xffu : 0x7fu;
        default:
          return negative ? 0x80u : 0x7fu;
      }
    case Fill::huge:
      switch (dtype) {
        case XQACHECK_FP16:
          return negative ? 0xfbffu : 0x7bffu;
        case XQACHECK_BF16:
          return negative ? 0xff7fu : 0x7f7fu;
        case XQACHECK_E4M3:
          return negative ? 0xfeu : 0x7eu;
        default:
          return negative ? 0x80u : 0x7fu;
      }
  }
  return 0;
}

// Random bytes may spell NaN or Inf; a kernel whose masked tails must be finite gets the format's extremes instead.
std::uint64_t overwrite(HostBuffer& buffer, const std::vector<Use>& use, std::uint32_t dtype, const Unused& what,
                        Fill fill, Draws& draws) {
  std::uint64_t count = 0;
  const std::size_t size = bytes_of(dtype);
  for (std::size_t i = 0; i < use.size(); ++i) {
    const bool chosen = (use[i] == Use::gap && what.gaps) || (use[i] == Use::unowned && what.pages) ||
                        (use[i] == Use::tail && what.tails);
    if (!chosen) continue;
    const std::uint32_t bits = pattern(dtype, fill, draws);
    std::memcpy(buffer.data() + i * size, &bits, size);
    ++count;
  }
  return count;
}

std::uint64_t poison_q_gaps(Problem& problem, Fill fill, Draws& draws) {
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  std::vector<Use> use(problem.tensor(TensorId::q).size() / bytes_of(p.q.dtype), Use::gap);
  for (std::uint32_t r = 0; r < p.total_rows; ++r)
    for (std::uint32_t h = 0; h < p.q_heads; ++h)
      std::fill_n(use.begin() + static_cast<std::ptrdiff_t>(r * p.q_stride_row + h * p.q_stride_head), p.head_dim,
                  Use::used);
  return overwrite(problem.tensor(TensorId::q), use, p.q.dtype, {.gaps = true}, fill, draws);
}

// Entries that must not be followed get ids outside the pool: a kernel that follows them faults or reads poison.
std::uint64_t poison_entries(Problem& problem, Draws& draws) {
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  HostBuffer& table = problem.tensor(TensorId::page_table);
  std::vector<bool> used(table.size() / sizeof(std::int32_t));
  const auto* lengths = static_cast<const std::uint32_t*>(p.seq_lens.data);
  for (std::uint32_t b = 0; b < p.requests; ++b)
    for (std::uint32_t w = 0; w < p.beam_width; ++w)
      for (std::uint32_t j = 0; j * p.page_tokens < lengths[b]; ++j)
        for (const std::int64_t v : {std::int64_t{0}, p.table_stride_v})
          used[static_cast<std::size_t>(b * p.table_stride_request + w * p.table_stride_beam + v + j)] = true;
  const std::int32_t bad[] = {-1, INT32_MAX, INT32_MIN, static_cast<std::int32_t>(p.pages_in_pool)};
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i]) table.as<std::int32_t>()[i] = draws.pick(bad), ++count;
  return count;
}

// Beams of tokens past the end of a request, and of tokens that the beams share: neither is to be followed.
std::uint64_t poison_beam_index(Problem& problem, Draws& draws) {
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  auto* index = problem.tensor(TensorId::beam_index).as<std::int32_t>();
  const auto* lengths = static_cast<const std::uint32_t*>(p.seq_lens.data);
  const auto* shared = static_cast<const std::uint32_t*>(p.beam_context.data);
  const std::int32_t bad[] = {-1, INT32_MAX, INT32_MIN, static_cast<std::int32_t>(p.beam_width)};
  std::uint64_t count = 0;
  for (std::uint32_t b = 0; b < p.requests; ++b)
    for (std::uint32_t w = 0; w < p.beam_width; ++w)
      for (std::uint32_t t = 0; t < p.max_seq_len; ++t) {
        if (t >= shared[b] && t < lengths[b]) continue;
        index[(std::size_t{b} * p.beam_width + w) * p.max_seq_len + t] = draws.pick(bad);
        ++count;
      }
  return count;
}

}  // namespace

std::uint64_t poison(Problem& problem, const Unused& what, Fill fill, std::uint64_t seed) {
  Draws draws(seed, static_cast<std::uint64_t>(fill));
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  HostBuffer& k = problem.tensor(TensorId::k);
  HostBuffer& v = problem.tensor(TensorId::v);
  const bool apart = v.size() > 0;
  std::uint64_t count = 0;
  if (what.pages || what.tails || what.gaps) {
    count += overwrite(k, PoolMap(p, k, !apart, true).use(), p.k.dtype, what, fill, draws);
    if (apart) count += overwrite(v, PoolMap(p, v, true, false).use(), p.v.dtype, what, fill, draws);
  }
  if (what.gaps) count += poison_q_gaps(problem, fill, draws);
  if (what.entries && p.page_tokens > 0) count += poison_entries(problem, draws);
  if (what.entries && p.beam_width > 1) count += poison_beam_index(problem, draws);
  return count;
}

}  // namespace xqacheck::properties
