#include "reference/filters/physical.hpp"

#include <cmath>
#include <stdexcept>

#include "reference/golden/element.hpp"
#include "reference/golden/tensor.hpp"
#include "reference/golden/tile_values.hpp"

namespace xqacheck::reference::filters {
namespace {

bool read_row(const xqacheck_tensor& tensor, const char* name, std::int64_t index, Eigen::Index count, double* to) {
  return std::isfinite(decode(elements(tensor, name, index, static_cast<std::uint64_t>(count)), tensor.dtype,
                              static_cast<std::size_t>(count), to));
}

}  // namespace

Block read_physical(const Context& c, const Group& g, std::int64_t page, std::int64_t token) {
  const xqacheck_problem& p = c.problem;
  const std::int64_t slot = p.page_tokens != 0 ? token % p.page_tokens : token;
  Block block;
  block.first = token;
  block.keys.setZero(1, p.head_dim);
  block.values.setZero(1, p.head_dim_v);
  block.dead.assign(1, 0);
  try {
    const bool k = read_row(p.k, "k", page * p.k_stride_page + g.kv_head * p.k_stride_head + slot * p.k_stride_token,
                            p.head_dim, block.keys.data());
    const auto& values = p.kv_aliased != 0 ? p.k : p.v;
    const std::int64_t at = p.kv_aliased != 0
                                ? page * p.k_stride_page + g.kv_head * p.k_stride_head + slot * p.k_stride_token
                                : page * p.v_stride_page + g.kv_head * p.v_stride_head + slot * p.v_stride_token;
    const bool v = read_row(values, "v", at, p.head_dim_v, block.values.data());
    block.dead[0] = k && v ? 0 : 1;
  } catch (const std::out_of_range&) {
    block.dead[0] = 1;
  }
  if (block.dead[0] != 0) {
    block.keys.setZero();
    block.values.setZero();
  }
  block.values *= c.out_scale;
  return block;
}

std::int64_t physical_pages(const xqacheck_problem& p) {
  return p.page_tokens != 0 ? std::int64_t{p.pages_in_pool} : std::int64_t{p.requests} * p.beam_width;
}

std::int64_t page_of(const Context& c, const Sequence& s, std::int32_t block, bool value) {
  const xqacheck_problem& p = c.problem;
  if (p.page_tokens == 0) return std::int64_t{s.request} * p.beam_width + s.beam;
  try {
    return static_cast<std::int64_t>(number_at(
        p.page_table, "page_table",
        s.request * p.table_stride_request + s.beam * p.table_stride_beam + block + (value ? p.table_stride_v : 0)));
  } catch (const std::out_of_range&) {
    return -1;
  }
}

}  // namespace xqacheck::reference::filters
