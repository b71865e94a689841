#include "properties/edit_problem.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "properties/output.hpp"

namespace xqacheck::properties {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

// Rows of `chosen` requests, `bytes` each, taken from equally long rows of all requests.
HostBuffer gather(const HostBuffer& from, std::size_t bytes, const std::vector<std::uint32_t>& rows) {
  HostBuffer to(bytes * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(to.data() + i * bytes, from.data() + rows[i] * bytes, bytes);
  return to;
}

// A tensor whose size is not a multiple of its row stride ends with its last element: rows are copied as far as they
// exist.
HostBuffer gather_strided(const HostBuffer& from, std::size_t stride, const std::vector<std::uint32_t>& rows,
                          std::size_t last) {
  HostBuffer to(rows.empty() ? 0 : stride * (rows.size() - 1) + last);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(to.data() + i * stride, from.data() + rows[i] * stride,
                std::min({stride, from.size() - rows[i] * stride, to.size() - i * stride}));
  return to;
}

void set_tensor(Problem& problem, TensorId id, xqacheck_tensor& described, HostBuffer&& bytes) {
  described.bytes = bytes.size();
  problem.tensor(id) = std::move(bytes);
}

}  // namespace

bool is_editable(const Problem& problem) {
  return problem.tensor(TensorId::k).size() <= kLargestEditedPool &&
         problem.tensor(TensorId::v).size() <= kLargestEditedPool;
}

Problem select_requests(const Problem& problem, const std::vector<std::uint32_t>& chosen) {
  Problem out = problem.clone();
  const xqacheck_problem from = problem.view(nullptr, nullptr);
  xqacheck_problem& to = out.description;
  std::vector<std::uint32_t> rows, offsets = {0};
  for (const std::uint32_t b : chosen) {
    for (std::uint32_t i = 0; i < row_count(from, b); ++i) rows.push_back(first_row(from, b) + i);
    offsets.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  to.requests = static_cast<std::uint32_t>(chosen.size());
  to.total_rows = static_cast<std::uint32_t>(rows.size());

  const auto per_request = [&](TensorId id, xqacheck_tensor& described) {
    if (problem.tensor(id).size() > 0)
      set_tensor(out, id, described, gather(problem.tensor(id), problem.tensor(id).size() / from.requests, chosen));
  };
  const auto per_row = [&](TensorId id, xqacheck_tensor& described) {
    if (problem.tensor(id).size() > 0)
      set_tensor(out, id, described, gather(problem.tensor(id), problem.tensor(id).size() / from.total_rows, rows));
  };
  per_request(TensorId::seq_lens, to.seq_lens);
  per_request(TensorId::beam_index, to.beam_index);
  per_request(TensorId::beam_context, to.beam_context);
  per_row(TensorId::mask, to.mask);
  per_row(TensorId::depths, to.depths);
  per_row(TensorId::k_new, to.k_new);
  per_row(TensorId::v_new, to.v_new);

  const std::size_t q_row = static_cast<std::size_t>(from.q_stride_row) * bytes_of(from.q.dtype);
  const std::size_t q_last = problem.tensor(TensorId::q).size() - (from.total_rows - 1) * q_row;
  set_tensor(out, TensorId::q, to.q, gather_strided(problem.tensor(TensorId::q), q_row, rows, q_last));
  if (problem.tensor(TensorId::page_table).size() > 0) {
    const std::size_t entry_row = static_cast<std::size_t>(from.table_stride_request) * sizeof(std::int32_t);
    const std::size_t last = problem.tensor(TensorId::page_table).size() - (from.requests - 1) * entry_row;
    set_tensor(out, TensorId::page_table, to.page_table,
               gather_strided(problem.tensor(TensorId::page_table), entry_row, chosen, last));
  }
  if (from.page_tokens == 0) {  // a contiguous cache lies where its request does in the batch
    const auto per_cache = [&](TensorId id, xqacheck_tensor& described, std::int64_t stride_page) {
      if (problem.tensor(id).size() == 0) return;
      const std::size_t stride = static_cast<std::size_t>(stride_page) * from.beam_width * bytes_of(from.k.dtype);
      const std::size_t last_cache = problem.tensor(id).size() - (from.requests - 1) * stride;
      set_tensor(out, id, described, gather_strided(problem.tensor(id), stride, chosen, last_cache));
    };
    per_cache(TensorId::k, to.k, from.k_stride_page);
    per_cache(TensorId::v, to.v, from.v_stride_page);
  }
  if (from.ragged) {
    HostBuffer bytes(offsets.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), offsets.data(), bytes.size());
    set_tensor(out, TensorId::row_offsets, to.row_offsets, std::move(bytes));
  }
  return out;
}

Problem relabel_pages(const Problem& problem, const std::vector<std::uint32_t>& new_page) {
  Problem out = problem.clone();
  const xqacheck_problem& p = problem.description;
  const auto move_pages = [&](TensorId id, std::int64_t stride_elements, std::uint32_t dtype) {
    const HostBuffer& from = problem.tensor(id);
    if (from.size() == 0) return;
    const std::size_t stride = static_cast<std::size_t>(stride_elements) * bytes_of(dtype);
    // The last page may end before its gap: as many bytes as every page has.
    const std::size_t span = std::min(stride, from.size() - (p.pages_in_pool - 1) * stride);
    for (std::uint32_t page = 0; page < p.pages_in_pool; ++page)
      std::memcpy(out.tensor(id).data() + new_page[page] * stride, from.data() + page * stride, span);
  };
  move_pages(TensorId::k, p.k_stride_page, p.k.dtype);
  move_pages(TensorId::v, p.v_stride_page, p.v.dtype);
  HostBuffer& table = out.tensor(TensorId::page_table);
  for (std::size_t i = 0; i < table.size() / sizeof(std::int32_t); ++i) {
    std::int32_t& page = table.as<std::int32_t>()[i];
    if (page >= 0 && static_cast<std::uint32_t>(page) < p.pages_in_pool)
      page = static_cast<std::int32_t>(new_page[static_cast<std::uint32_t>(page)]);
  }
  return out;
}

}  // namespace xqacheck::properties
