#include "emulation/recording/check_problem.hpp"

#include <fmt/format.h>

#include <vector>

namespace xqacheck::emulation {

namespace {

using reference::TensorId;

std::uint64_t bytes_of(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16: case XQACHECK_BF16: return 2;
    case XQACHECK_INT8: case XQACHECK_E4M3: return 1;
    default: return 4;
  }
}

class Checker {
 public:
  Checker(const RecordedFile& file, const reference::Problem& problem)
      : file_(file), problem_(problem), d_(problem.description) {}

  void sizes() const {
    if (d_.requests == 0 || d_.kv_heads == 0 || d_.q_heads == 0 || d_.q_heads % d_.kv_heads != 0 || d_.head_dim == 0 ||
        d_.head_dim_v == 0 || d_.beam_width == 0 || d_.max_rows == 0) {
      file_.fail("requests, q_heads, kv_heads, head_dim, beam_width, rows: must be positive, and q_heads a multiple of kv_heads");
    }
    for (const std::int64_t stride : {d_.q_stride_row, d_.q_stride_head, d_.k_stride_page, d_.k_stride_head, d_.k_stride_token,
                                      d_.v_stride_page, d_.v_stride_head, d_.v_stride_token, d_.out_stride_row, d_.out_stride_head,
                                      d_.table_stride_request, d_.table_stride_beam, d_.table_stride_v}) {
      // Offsets are sums of a few products of 32-bit numbers and strides: keep them far from 64 bits.
      if (stride < 0 || stride > (std::int64_t{1} << 40)) file_.fail(fmt::format("stride {}: must lie in [0, 2^40]", stride));
    }
    const std::uint64_t rows = std::uint64_t{d_.requests} * (d_.mask_kind == XQACHECK_MASK_NONE ? d_.beam_width : d_.max_rows);
    if (d_.ragged == 0 && d_.total_rows != rows) file_.fail(fmt::format("total_rows {}: the sizes make it {}", d_.total_rows, rows));
    if (d_.mask_kind != XQACHECK_MASK_NONE && d_.mask_words != (d_.max_rows + 31) / 32) {
      file_.fail(fmt::format("mask_words {}: {} drafts need {}", d_.mask_words, d_.max_rows, (d_.max_rows + 31) / 32));
    }
  }

  void tensors() const {
    const std::uint64_t rows = d_.total_rows;
    need(TensorId::seq_lens, d_.requests, 4);
    need(TensorId::q, extent({{rows, d_.q_stride_row}, {d_.q_heads, d_.q_stride_head}}, d_.head_dim), bytes_of(d_.q.dtype));
    if (d_.mask_kind != XQACHECK_MASK_NONE) need(TensorId::mask, rows * d_.mask_words, 4);
    if (d_.ragged != 0) need(TensorId::row_offsets, std::uint64_t{d_.requests} + 1, 4);
    if (d_.sinks.dtype != XQACHECK_NONE) need(TensorId::sinks, d_.q_heads, 4);
    if (d_.beam_width > 1) {
      need(TensorId::beam_index, std::uint64_t{d_.requests} * d_.beam_width * d_.max_seq_len, 4);
      need(TensorId::beam_context, d_.requests, 4);
    }
    if (d_.depths.dtype != XQACHECK_NONE) need(TensorId::depths, rows, 4);
    if (d_.rope_kind != XQACHECK_ROPE_NONE) need(TensorId::rope_table, std::uint64_t{d_.max_seq_len} * d_.rotary_dim, 4);
    if (d_.k_new.dtype != XQACHECK_NONE) need(TensorId::k_new, rows * d_.kv_heads * d_.head_dim, bytes_of(d_.k_new.dtype));
    if (d_.v_new.dtype != XQACHECK_NONE) need(TensorId::v_new, rows * d_.kv_heads * d_.head_dim_v, bytes_of(d_.v_new.dtype));
    if (d_.qkv_bias.dtype != XQACHECK_NONE) {
      need(TensorId::qkv_bias, std::uint64_t{d_.q_heads + d_.kv_heads} * d_.head_dim + std::uint64_t{d_.kv_heads} * d_.head_dim_v, 4);
    }
    const std::uint64_t pages = d_.page_tokens == 0 ? std::uint64_t{d_.requests} * d_.beam_width : d_.pages_in_pool;
    const std::uint64_t tokens = d_.page_tokens == 0 ? d_.max_seq_len : d_.page_tokens;
    need(TensorId::k, extent({{pages, d_.k_stride_page}, {d_.kv_heads, d_.k_stride_head}, {tokens, d_.k_stride_token}}, d_.head_dim),
         bytes_of(d_.k.dtype));
    const TensorId v = problem_.tensor(TensorId::v).size() == 0 ? TensorId::k : TensorId::v;
    need(v, extent({{pages, d_.v_stride_page}, {d_.kv_heads, d_.v_stride_head}, {tokens, d_.v_stride_token}}, d_.head_dim_v),
         bytes_of(d_.v.dtype));
    if (d_.page_tokens != 0) {
      need(TensorId::page_table,
           extent({{d_.requests, d_.table_stride_request}, {d_.beam_width, d_.table_stride_beam}}, d_.table_columns) +
               static_cast<std::uint64_t>(d_.table_stride_v), 4);
    }
  }

  void rows() const {
    if (d_.ragged == 0) return;
    const auto* offsets = problem_.tensor(TensorId::row_offsets).as<std::uint32_t>();
    if (offsets[0] != 0 || offsets[d_.requests] != d_.total_rows) file_.fail("row offsets: must run from 0 to the number of rows");
    for (std::uint32_t b = 0; b < d_.requests; ++b) {
      if (offsets[b + 1] < offsets[b] || offsets[b + 1] - offsets[b] > d_.max_rows) {
        file_.fail(fmt::format("row offsets of request {}: must rise by at most {}", b, d_.max_rows));
      }
    }
  }

  void pages() const {
    const auto* lens = problem_.tensor(TensorId::seq_lens).as<std::uint32_t>();
    const auto* table = problem_.tensor(TensorId::page_table).as<std::int32_t>();
    const auto* offsets = problem_.tensor(TensorId::row_offsets).as<std::uint32_t>();
    for (std::uint32_t b = 0; b < d_.requests; ++b) {
      if (lens[b] > d_.max_seq_len) file_.fail(fmt::format("seq_lens[{}] = {} is above max_seq_len {}", b, lens[b], d_.max_seq_len));
      const std::uint32_t drafts = d_.mask_kind == XQACHECK_MASK_NONE ? 0 : d_.ragged ? offsets[b + 1] - offsets[b] : d_.max_rows;
      if (lens[b] < drafts) file_.fail(fmt::format("seq_lens[{}] = {} does not hold its {} drafts", b, lens[b], drafts));
      if (d_.page_tokens == 0) continue;
      const std::uint32_t used = (lens[b] + d_.page_tokens - 1) / d_.page_tokens;
      if (used > d_.table_columns) file_.fail(fmt::format("page_table: {} columns, request {} needs {}", d_.table_columns, b, used));
      for (std::uint32_t beam = 0; beam < d_.beam_width; ++beam) {
        for (const std::int64_t which : {std::int64_t{0}, d_.table_stride_v}) {
          for (std::uint32_t j = 0; j < used; ++j) {
            const std::int64_t page = table[b * d_.table_stride_request + beam * d_.table_stride_beam + which + j];
            if (page < 0 || page >= d_.pages_in_pool) {
              file_.fail(fmt::format("page table of request {}, block {}: {} is not a page of the pool ({} pages)", b, j, page,
                                     d_.pages_in_pool));
            }
          }
        }
      }
    }
  }

  void beams() const {
    if (d_.beam_width == 1) return;
    const auto* index = problem_.tensor(TensorId::beam_index).as<std::int32_t>();
    const auto* lens = problem_.tensor(TensorId::seq_lens).as<std::uint32_t>();
    for (std::uint64_t i = 0; i < std::uint64_t{d_.requests} * d_.beam_width; ++i) {
      for (std::uint32_t t = 0; t < lens[i / d_.beam_width]; ++t) {
        const std::int32_t source = index[i * d_.max_seq_len + t];
        if (source < 0 || static_cast<std::uint32_t>(source) >= d_.beam_width) {
          file_.fail(fmt::format("beam_index: {} is not one of {} beams", source, d_.beam_width));
        }
      }
    }
  }

 private:
  struct Axis { std::uint64_t count; std::int64_t stride; };
  // Elements up to and including the last one of a strided tensor with a dense last dimension.
  static std::uint64_t extent(const std::vector<Axis>& axes, std::uint64_t dense) {
    std::uint64_t last = 0;
    for (const Axis& axis : axes) {
      if (axis.count == 0) return 0;
      last += (axis.count - 1) * static_cast<std::uint64_t>(axis.stride);
    }
    return last + dense;
  }

  void need(TensorId id, std::uint64_t elements, std::uint64_t element_bytes) const {
    if (problem_.tensor(id).size() / element_bytes < elements) {
      file_.fail(fmt::format("tensor {}: {} bytes, but sizes and strides need {} elements of {} bytes", name_of(id),
                             problem_.tensor(id).size(), elements, element_bytes));
    }
  }

  const RecordedFile& file_;
  const reference::Problem& problem_;
  const xqacheck_problem& d_;
};

}  // namespace

void check_problem(const RecordedFile& file, const reference::Problem& problem) {
  const Checker checker(file, problem);
  checker.sizes();
  checker.tensors();
  checker.rows();
  checker.pages();
  checker.beams();
}

}  // namespace xqacheck::emulation
