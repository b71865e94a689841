// What a problem says about requests and rows: where the rows of a request lie, how long it is, what a row may see.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference::slow {

// One query row: everything that its visibility depends on.
struct Row {
  std::uint32_t request, beam;
  std::uint32_t draft;   // i: index among the rows of its request (and beam)
  std::uint32_t drafts;  // n: rows of its request, beams not counted
  std::uint32_t index;   // r: row of q and out
};

// Element `index` of a tensor, decoded. Throws std::out_of_range naming `name` outside the tensor's extent.
long double element(const xqacheck_tensor& tensor, std::int64_t index, const char* name);
std::int64_t integer(const xqacheck_tensor& tensor, std::int64_t index, const char* name);
inline bool present(const xqacheck_tensor& tensor) {
  return tensor.data != nullptr;
}

float scale(const xqacheck_scale& s);

std::int64_t sequence_length(const xqacheck_problem& p, std::uint32_t request);
std::uint32_t rows_of(const xqacheck_problem& p, std::uint32_t request);  // n
// Rows of a request with beams: beam-major, (w, i) at first + w * n + i.
Row row_at(const xqacheck_problem& p, std::uint32_t request, std::uint32_t beam, std::uint32_t draft);
std::int64_t depth(const xqacheck_problem& p, const Row& row);

// May the row attend token t (0 <= t < sequence length)?
bool visible(const xqacheck_problem& p, const Row& row, std::int64_t t);
bool inside_window(const xqacheck_problem& p, const Row& row, std::int64_t t);
bool allowed_by_mask(const xqacheck_problem& p, const Row& row, std::int64_t t);

// Beam whose cache holds token t of the row.
std::uint32_t source_beam(const xqacheck_problem& p, const Row& row, std::int64_t t);

}  // namespace xqacheck::reference::slow
