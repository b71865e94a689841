#include "reference/shape.hpp"

#include <algorithm>

namespace xqacheck::reference {
namespace {

KvStrides strides(const Case& c, std::int64_t channels, std::int64_t tokens) {
  KvStrides s;
  const std::int64_t heads = c.kv_heads, pad_page = c.pad_page, pad_token = c.pad_token, pad_head = c.pad_head;
  if (c.layout == Layout::nhd) {
    s.head = channels + pad_head;
    s.token = heads * s.head + pad_token;
    s.page = tokens * s.token + pad_page;
  } else {
    s.token = channels + pad_token;
    s.head = tokens * s.token + pad_head;
    s.page = heads * s.head + pad_page;
  }
  return s;
}

}  // namespace

Shape shape_of(const Case& c) {
  Shape s;
  s.requests = c.requests();
  s.beams = c.beam;
  s.max_seq_len = c.max_seq_len();
  s.page_tokens = c.page == 0 ? s.max_seq_len : c.page;
  s.columns = c.page == 0 ? 0 : (s.max_seq_len - 1) / c.page + 1;
  s.max_rows = c.max_rows();
  s.mask_words = c.mask == MaskKind::none ? 0 : (s.max_rows + 31) / 32;
  s.rotary_dim = c.rope == RopeStyle::none ? 0 : c.rotary_dim == 0 ? c.dim : c.rotary_dim;
  s.first_row.assign(1, 0);
  for (std::uint32_t b = 0; b < s.requests; ++b) s.first_row.push_back(s.first_row.back() + c.rows(b) * c.beam);
  s.k = strides(c, c.dim, s.page_tokens);
  s.v = c.mla() ? s.k : strides(c, c.dim_v, s.page_tokens);
  s.q_stride_head = std::int64_t{c.dim} + c.q_pad_head;
  s.q_stride_row = c.q_heads * s.q_stride_head + c.q_pad_row;
  s.out_stride_head = std::int64_t{c.dim_v} + c.out_pad_head;
  s.out_stride_row = c.q_heads * s.out_stride_head + c.out_pad_row;
  if (c.page != 0) {
    const std::int64_t row = std::int64_t{s.columns} + c.table_pad;
    s.table_stride_v = c.layout == Layout::pool ? row : 0;
    s.table_stride_beam = c.layout == Layout::pool ? 2 * row : row;
    s.table_stride_request = c.beam * s.table_stride_beam;
  }
  return s;
}

std::uint32_t cached_tokens(const Case& c, std::uint32_t request) {
  const std::uint32_t appended = c.rope == RopeStyle::none ? 0 : c.rows(request);
  return c.lens[request] - std::min(appended, c.lens[request]);
}

std::uint32_t shared_context(const Case& c, std::uint32_t request) {
  if (c.beam == 1) return 0;
  const std::uint32_t asked = c.beam_context == kHalfOfLength ? c.lens[request] / 2 : c.beam_context;
  return std::min(asked, cached_tokens(c, request));
}

std::uint32_t blocks_of(const Case& c, std::uint32_t request) {
  return c.page == 0 ? 1 : (c.lens[request] + c.page - 1) / c.page;
}

double estimated_bytes(const Case& c) {
  const Shape s = shape_of(c);
  double pages = c.page == 0 ? double(s.requests) * s.beams : c.spare;
  if (c.page != 0) {
    for (std::uint32_t b = 0; b < s.requests; ++b) pages += double(blocks_of(c, b)) * s.beams;
  }
  const double element = double(bytes_of(c.kv));
  double bytes = pages * element * (double(s.k.page) + (c.mla() ? 0 : double(s.v.page)));
  bytes += double(s.total_rows()) * (2.0 * double(s.q_stride_row) + 2.0 * double(s.out_stride_row));
  bytes += double(s.total_rows()) * (4.0 * s.mask_words + 4.0 * c.q_heads);
  bytes += 4.0 * double(s.table_stride_request) * s.requests;
  if (c.beam > 1) bytes += 4.0 * s.requests * s.beams * s.max_seq_len;
  if (c.rope != RopeStyle::none) {
    bytes += 4.0 * s.max_seq_len * s.rotary_dim + 2.0 * s.total_rows() * c.kv_heads * (double(c.dim) + c.dim_v);
  }
  return bytes;
}

}  // namespace xqacheck::reference
