#include "reference/slow/request.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "reference/slow/numbers.hpp"

namespace xqacheck::reference::slow {
namespace {

std::uint32_t bits_at(const xqacheck_tensor& tensor, std::int64_t index, const char* name) {
  const std::uint64_t size = element_bytes(tensor.dtype);
  if (tensor.data == nullptr || index < 0 || (static_cast<std::uint64_t>(index) + 1) * size > tensor.bytes) {
    throw std::out_of_range(std::string(name) + ": element " + std::to_string(index) + " is outside the tensor of " +
                            std::to_string(tensor.bytes) + " bytes");
  }
  const auto* bytes = static_cast<const unsigned char*>(tensor.data) + static_cast<std::uint64_t>(index) * size;
  std::uint32_t bits = 0;  // little-endian, as every machine this runs on
  for (unsigned i = 0; i < size; ++i) bits |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
  return bits;
}

}  // namespace

long double element(const xqacheck_tensor& tensor, std::int64_t index, const char* name) {
  return value_of_bits(tensor.dtype, bits_at(tensor, index, name));
}

std::int64_t integer(const xqacheck_tensor& tensor, std::int64_t index, const char* name) {
  const std::uint32_t bits = bits_at(tensor, index, name);
  return tensor.dtype == XQACHECK_INT32 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
}

float scale(const xqacheck_scale& s) {
  return s.pointer != nullptr ? *s.pointer : s.value;
}

std::int64_t sequence_length(const xqacheck_problem& p, std::uint32_t request) {
  return integer(p.seq_lens, request, "seq_lens");
}

std::uint32_t rows_of(const xqacheck_problem& p, std::uint32_t request) {
  if (!present(p.row_offsets)) return p.max_rows;
  return static_cast<std::uint32_t>(integer(p.row_offsets, request + 1, "row_offsets") -
                                    integer(p.row_offsets, request, "row_offsets"));
}

Row row_at(const xqacheck_problem& p, std::uint32_t request, std::uint32_t beam, std::uint32_t draft) {
  const std::uint32_t n = rows_of(p, request);
  std::uint32_t first = request * p.beam_width * n;
  if (present(p.row_offsets)) {
    first = static_cast<std::uint32_t>(integer(p.row_offsets, request, "row_offsets")) * p.beam_width;
  }
  return Row{request, beam, draft, n, first + beam * n + draft};
}

std::int64_t depth(const xqacheck_problem& p, const Row& row) {
  return present(p.depths) ? integer(p.depths, row.index, "depths") : row.draft;
}

bool inside_window(const xqacheck_problem& p, const Row& row, std::int64_t t) {
  if (p.window == 0) return true;
  const std::int64_t first_kept = sequence_length(p, row.request) - row.drafts + 1 + depth(p, row) - p.window;
  return t >= first_kept;
}

bool allowed_by_mask(const xqacheck_problem& p, const Row& row, std::int64_t t) {
  const std::int64_t draft = t - (sequence_length(p, row.request) - row.drafts);
  if (draft < 0 || p.mask_kind == XQACHECK_MASK_NONE) return true;
  if (!present(p.mask)) return draft <= row.draft;  // only a causal mask may leave its bits out
  const std::int64_t word = integer(p.mask, std::int64_t{row.index} * p.mask_words + draft / 32, "mask");
  return (word >> (draft % 32)) & 1;
}

bool visible(const xqacheck_problem& p, const Row& row, std::int64_t t) {
  return t >= 0 && t < sequence_length(p, row.request) && inside_window(p, row, t) && allowed_by_mask(p, row, t);
}

std::uint32_t source_beam(const xqacheck_problem& p, const Row& row, std::int64_t t) {
  if (p.beam_width == 1 || !present(p.beam_index)) return row.beam;
  if (present(p.beam_context) && t < integer(p.beam_context, row.request, "beam_context")) return 0;
  const std::int64_t place = (std::int64_t{row.request} * p.beam_width + row.beam) * p.max_seq_len + t;
  return static_cast<std::uint32_t>(integer(p.beam_index, place, "beam_index"));
}

}  // namespace xqacheck::reference::slow
