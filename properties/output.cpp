#include "properties/output.hpp"

#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "properties/decode.hpp"

namespace xqacheck::properties {
namespace {

const std::uint32_t* offsets_of(const xqacheck_problem& problem) {
  return problem.ragged ? static_cast<const std::uint32_t*>(problem.row_offsets.data) : nullptr;
}

// Beams multiply decode rows: request b, beam w is row b * W + w.
std::uint32_t even_rows(const xqacheck_problem& problem) {
  return problem.max_rows * problem.beam_width;
}

}  // namespace

std::uint32_t first_row(const xqacheck_problem& problem, std::uint32_t request) {
  const std::uint32_t* offsets = offsets_of(problem);
  return offsets ? offsets[request] : request * even_rows(problem);
}

std::uint32_t row_count(const xqacheck_problem& problem, std::uint32_t request) {
  const std::uint32_t* offsets = offsets_of(problem);
  return offsets ? offsets[request + 1] - offsets[request] : even_rows(problem);
}

RowPlace place_of_row(const xqacheck_problem& problem, std::uint32_t row) {
  const std::uint32_t* offsets = offsets_of(problem);
  if (!offsets) return {row / even_rows(problem), row % even_rows(problem)};
  std::uint32_t request = 0;
  while (request + 1 < problem.requests && offsets[request + 1] <= row) ++request;
  return {request, row - offsets[request]};
}

std::size_t out_offset(const xqacheck_problem& problem, std::uint32_t row, std::uint32_t head, std::uint32_t dim) {
  const std::int64_t element = row * problem.out_stride_row + head * problem.out_stride_head + dim;
  return static_cast<std::size_t>(element) * bytes_of(problem.out.dtype);
}

std::vector<double> decoded_output(const xqacheck_problem& problem, const Outcome& outcome) {
  std::vector<double> values;
  values.reserve(std::size_t{problem.total_rows} * problem.q_heads * problem.head_dim_v);
  for (std::uint32_t row = 0; row < problem.total_rows; ++row)
    for (std::uint32_t head = 0; head < problem.q_heads; ++head)
      for (std::uint32_t dim = 0; dim < problem.head_dim_v; ++dim)
        values.push_back(decode(problem.out.dtype, outcome.out.data() + out_offset(problem, row, head, dim)));
  return values;
}

std::optional<Difference> first_difference(const xqacheck_problem& expected_problem, const Outcome& expected,
                                           const std::vector<std::uint32_t>& expected_rows,
                                           const xqacheck_problem& actual_problem, const Outcome& actual,
                                           const std::vector<std::uint32_t>& actual_rows) {
  Difference difference;
  const std::uint32_t dtype = expected_problem.out.dtype;
  const std::size_t size = bytes_of(dtype);
  for (std::size_t i = 0; i < expected_rows.size(); ++i) {
    for (std::uint32_t h = 0; h < expected_problem.q_heads; ++h) {
      const std::byte* want = expected.out.data() + out_offset(expected_problem, expected_rows[i], h, 0);
      const std::byte* got = actual.out.data() + out_offset(actual_problem, actual_rows[i], h, 0);
      difference.elements += expected_problem.head_dim_v;
      if (std::memcmp(want, got, size * expected_problem.head_dim_v) == 0) continue;
      for (std::uint32_t d = 0; d < expected_problem.head_dim_v; ++d) {
        if (std::memcmp(want + d * size, got + d * size, size) == 0) continue;
        if (difference.differing++ > 0) continue;
        const RowPlace place = place_of_row(expected_problem, expected_rows[i]);
        difference.first = {
            place.request, place.row, h, d, decode(dtype, got + d * size), decode(dtype, want + d * size)};
        difference.first.ulps = ulps_between(dtype, difference.first.got, difference.first.want);
      }
    }
  }
  if (difference.differing > 0) return difference;
  const std::size_t lse_row = sizeof(float) * expected_problem.q_heads;
  for (std::size_t i = 0; i < expected_rows.size() && !expected.lse.empty() && !actual.lse.empty(); ++i) {
    const std::byte* want = expected.lse.data() + expected_rows[i] * lse_row;
    const std::byte* got = actual.lse.data() + actual_rows[i] * lse_row;
    for (std::uint32_t h = 0; h < expected_problem.q_heads; ++h) {
      ++difference.elements;
      if (std::memcmp(want + h * sizeof(float), got + h * sizeof(float), sizeof(float)) == 0) continue;
      if (difference.differing++ > 0) continue;
      const RowPlace place = place_of_row(expected_problem, expected_rows[i]);
      difference.in_lse = true;
      difference.first = {place.request,
                          place.row,
                          h,
                          0,
                          decode(XQACHECK_FP32, got + h * sizeof(float)),
                          decode(XQACHECK_FP32, want + h * sizeof(float))};
      difference.first.ulps = ulps_between(XQACHECK_FP32, difference.first.got, difference.first.want);
    }
  }
  return difference.differing > 0 ? std::optional(difference) : std::nullopt;
}

std::optional<Difference> first_difference(const xqacheck_problem& problem, const Outcome& expected,
                                           const Outcome& actual) {
  std::vector<std::uint32_t> rows(problem.total_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  return first_difference(problem, expected, rows, problem, actual, rows);
}

std::uint64_t hash_of_output(const xqacheck_problem& problem, const Outcome& outcome) {
  if (outcome.status != RunStatus::ok) return 0;
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  const std::size_t row_bytes = bytes_of(problem.out.dtype) * problem.head_dim_v;
  for (std::uint32_t r = 0; r < problem.total_rows; ++r)
    for (std::uint32_t h = 0; h < problem.q_heads; ++h)
      XXH64_update(&state, outcome.out.data() + out_offset(problem, r, h, 0), row_bytes);
  if (!outcome.lse.empty()) XXH64_update(&state, outcome.lse.data(), outcome.lse.size());
  return XXH64_digest(&state);
}

}  // namespace xqacheck::properties
