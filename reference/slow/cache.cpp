#include "reference/slow/cache.hpp"

#include <stdexcept>
#include <string>

namespace xqacheck::reference::slow {
namespace {

// The row of this call that appends token t to the cache of `beam`, if one does.
bool appended_in_this_call(const xqacheck_problem& p, const Row& row, std::int64_t t) {
  return present(p.k_new) && t >= sequence_length(p, row.request) - row.drafts;
}

Row appending_row(const xqacheck_problem& p, const Row& row, std::uint32_t beam, std::int64_t t) {
  const std::int64_t first = sequence_length(p, row.request) - row.drafts;
  return row_at(p, row.request, beam, static_cast<std::uint32_t>(t - first));
}

Vector load(const xqacheck_tensor& tensor, std::int64_t first, std::uint32_t count, const char* name) {
  Vector x(count);
  for (std::uint32_t d = 0; d < count; ++d) x[d] = element(tensor, first + d, name);
  return x;
}

}  // namespace

std::int64_t page_of(const xqacheck_problem& p, std::uint32_t request, std::uint32_t beam, std::int64_t t,
                     bool value_table) {
  if (p.page_tokens == 0) return std::int64_t{request} * p.beam_width + beam;
  const std::int64_t entry = request * p.table_stride_request + beam * p.table_stride_beam + t / p.page_tokens +
                             (value_table ? p.table_stride_v : 0);
  const std::int64_t page = integer(p.page_table, entry, "page_table");
  if (page < 0 || page >= p.pages_in_pool) {
    throw std::out_of_range("page_table: entry " + std::to_string(entry) + " names page " + std::to_string(page) +
                            " of a pool of " + std::to_string(p.pages_in_pool));
  }
  return page;
}

Vector key_at(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head, std::int64_t t) {
  const std::uint32_t beam = source_beam(p, row, t);
  if (appended_in_this_call(p, row, t)) return appended_key(p, appending_row(p, row, beam, t), kv_head);
  const std::int64_t slot = p.page_tokens == 0 ? t : t % p.page_tokens;
  const std::int64_t page = page_of(p, row.request, beam, t, false);
  return load(p.k, page * p.k_stride_page + kv_head * p.k_stride_head + slot * p.k_stride_token, p.head_dim, "k");
}

Vector value_at(const xqacheck_problem& p, const Row& row, std::uint32_t kv_head, std::int64_t t) {
  if (p.kv_aliased) {  // MLA: V is the first channels of K
    Vector v = key_at(p, row, kv_head, t);
    v.resize(p.head_dim_v);
    return v;
  }
  const std::uint32_t beam = source_beam(p, row, t);
  if (appended_in_this_call(p, row, t)) return appended_value(p, appending_row(p, row, beam, t), kv_head);
  const std::int64_t slot = p.page_tokens == 0 ? t : t % p.page_tokens;
  const std::int64_t page = page_of(p, row.request, beam, t, true);
  return load(p.v, page * p.v_stride_page + kv_head * p.v_stride_head + slot * p.v_stride_token, p.head_dim_v, "v");
}

}  // namespace xqacheck::reference::slow
