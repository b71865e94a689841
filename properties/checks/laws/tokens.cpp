#include "properties/checks/laws/tokens.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "properties/output.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties::laws {
namespace {

using reference::Dtype;
using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

Dtype dtype_of(std::uint32_t abi) {
  return abi == XQACHECK_FP16   ? Dtype::fp16
         : abi == XQACHECK_BF16 ? Dtype::bf16
         : abi == XQACHECK_INT8 ? Dtype::int8
                                : Dtype::e4m3;
}

std::uint16_t load(const HostBuffer& buffer, std::size_t size, std::uint64_t element) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, buffer.data() + element * size, size);
  return bits;
}

void copy_row(HostBuffer& to, std::uint64_t to_element, const HostBuffer& from, std::uint64_t from_element,
              std::size_t size, std::uint32_t count) {
  std::memcpy(to.data() + to_element * size, from.data() + from_element * size, size * count);
}

template <class Use>
void each_token(const Problem& problem, Use use) {
  for (std::uint32_t b = 0; b < problem.description.requests; ++b)
    for (std::uint32_t t = 0; t < length_of(problem, b); ++t)
      for (std::uint32_t g = 0; g < problem.description.kv_heads; ++g) use(b, t, g);
}

}  // namespace

TokenRows::TokenRows(const Problem& problem) : heads_(problem.description.kv_heads) {
  const xqacheck_problem p = problem.view(nullptr, nullptr);
  const reference::KvView view(p);
  std::unordered_set<std::uint64_t> places;
  k_.resize(p.requests), v_.resize(p.requests);
  each_token(problem, [&](std::uint32_t b, std::uint32_t t, std::uint32_t g) {
    k_[b].push_back(view.k_row(b, 0, t, g));
    v_[b].push_back(view.v_row(b, 0, t, g));
    if (!places.insert(k_[b].back()).second) apart_ = false;
  });
}

HostBuffer& v_buffer(Problem& problem) {
  HostBuffer& v = problem.tensor(TensorId::v);
  return v.empty() ? problem.tensor(TensorId::k) : v;
}

void copy_token(Problem& problem, const Problem& source, const TokenRows& rows, std::uint32_t request,
                std::uint32_t from, std::uint32_t to) {
  const xqacheck_problem& d = problem.description;
  const std::size_t size = bytes_of(d.k.dtype);
  for (std::uint32_t g = 0; g < d.kv_heads; ++g) {
    copy_row(problem.tensor(TensorId::k), rows.k(request, to, g), source.tensor(TensorId::k), rows.k(request, from, g),
             size, d.head_dim);
    if (d.kv_aliased != 0) continue;
    const HostBuffer& v = source.tensor(TensorId::v).empty() ? source.tensor(TensorId::k) : source.tensor(TensorId::v);
    copy_row(v_buffer(problem), rows.v(request, to, g), v, rows.v(request, from, g), size, d.head_dim_v);
  }
}

void change_v(Problem& problem, const TokenRows& rows, double (*change)(double)) {
  HostBuffer& v = v_buffer(problem);
  const std::size_t size = bytes_of(problem.description.v.dtype);
  const Dtype dtype = dtype_of(problem.description.v.dtype);
  std::unordered_set<std::uint64_t> done;  // a page that appears twice is changed once
  each_token(problem, [&](std::uint32_t b, std::uint32_t t, std::uint32_t g) {
    const std::uint64_t first = rows.v(b, t, g);
    if (!done.insert(first).second) return;
    for (std::uint32_t d = 0; d < problem.description.head_dim_v; ++d) {
      const std::uint16_t bits = reference::encode(dtype, change(reference::decode(dtype, load(v, size, first + d))));
      std::memcpy(v.data() + (first + d) * size, &bits, size);
    }
  });
}

Range range_of_v(const Problem& problem, const TokenRows& rows) {
  const HostBuffer& v = problem.tensor(TensorId::v).empty() ? problem.tensor(TensorId::k) : problem.tensor(TensorId::v);
  const std::size_t size = bytes_of(problem.description.v.dtype);
  const Dtype dtype = dtype_of(problem.description.v.dtype);
  Range range{std::numeric_limits<double>::infinity(), 0};
  each_token(problem, [&](std::uint32_t b, std::uint32_t t, std::uint32_t g) {
    for (std::uint32_t d = 0; d < problem.description.head_dim_v; ++d) {
      const double value = std::abs(reference::decode(dtype, load(v, size, rows.v(b, t, g) + d)));
      if (!std::isfinite(value)) range.largest = std::numeric_limits<double>::infinity();
      if (value == 0) continue;
      range.smallest = std::min(range.smallest, value), range.largest = std::max(range.largest, value);
    }
  });
  return range;
}

void clear_k(Problem& problem, const TokenRows& rows, std::uint32_t request, std::uint32_t token) {
  const xqacheck_problem& d = problem.description;
  const std::size_t size = bytes_of(d.k.dtype);
  for (std::uint32_t g = 0; g < d.kv_heads; ++g)
    std::memset(problem.tensor(TensorId::k).data() + rows.k(request, token, g) * size, 0, size * d.head_dim);
}

void clear_v(Problem& problem, const TokenRows& rows, std::uint32_t request, std::uint32_t token) {
  const xqacheck_problem& d = problem.description;
  const std::size_t size = bytes_of(d.v.dtype);
  for (std::uint32_t g = 0; g < d.kv_heads; ++g)
    std::memset(v_buffer(problem).data() + rows.v(request, token, g) * size, 0, size * d.head_dim_v);
}

Problem as_decodes(const Problem& problem, const std::vector<std::uint32_t>& row_of,
                   const std::vector<std::uint32_t>& lens) {
  Problem out = problem.clone();
  const xqacheck_problem from = problem.view(nullptr, nullptr);
  xqacheck_problem& to = out.description;
  const auto drop = [&](TensorId id, xqacheck_tensor& field) {
    out.tensor(id) = HostBuffer();
    field = {};
  };
  drop(TensorId::mask, to.mask), drop(TensorId::depths, to.depths), drop(TensorId::row_offsets, to.row_offsets);
  to.mask_kind = XQACHECK_MASK_NONE, to.mask_words = 0, to.ragged = 0;
  to.max_rows = 1, to.total_rows = from.requests;
  const std::size_t size = bytes_of(from.q.dtype);
  const std::size_t row_bytes = static_cast<std::size_t>(from.q_stride_row) * size;
  const std::size_t last = problem.tensor(TensorId::q).size() - (from.total_rows - 1) * row_bytes;
  HostBuffer q(row_bytes * (from.requests - 1) + last);
  for (std::uint32_t b = 0; b < from.requests; ++b)
    std::memcpy(q.data() + b * row_bytes,
                problem.tensor(TensorId::q).data() + (first_row(from, b) + row_of[b]) * row_bytes, last);
  out.tensor(TensorId::q) = std::move(q);
  for (std::uint32_t b = 0; b < from.requests; ++b) set_length(out, b, lens[b]);
  return out;
}

void set_length(Problem& problem, std::uint32_t request, std::uint32_t length) {
  problem.tensor(TensorId::seq_lens).as<std::uint32_t>()[request] = length;
}

std::uint32_t length_of(const Problem& problem, std::uint32_t request) {
  return problem.tensor(TensorId::seq_lens).as<std::uint32_t>()[request];
}

void drop_sinks(Problem& problem) {
  problem.tensor(TensorId::sinks) = HostBuffer();
  problem.description.sinks = {};
}

}  // namespace xqacheck::properties::laws
