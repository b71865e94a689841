// Where the elements of a kernel's output lie, which request and row they belong to, and bit-for-bit comparison of
// outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/outcome.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties {

struct RowPlace {
  std::uint32_t request = 0;
  std::uint32_t row = 0;  // within the request: draft token, or beam
};

// Of row `row` of q and out.
RowPlace place_of_row(const xqacheck_problem& problem, std::uint32_t row);

// First row of a request and the number of its rows.
std::uint32_t first_row(const xqacheck_problem& problem, std::uint32_t request);
std::uint32_t row_count(const xqacheck_problem& problem, std::uint32_t request);

std::size_t bytes_of(std::uint32_t xqacheck_dtype_value);

// Byte offset of an output element.
std::size_t out_offset(const xqacheck_problem& problem, std::uint32_t row, std::uint32_t head, std::uint32_t dim);

// Value of the element at `bytes`, which holds an FP16, BF16, FP32 or E4M3.
double decode(std::uint32_t dtype, const std::byte* bytes);

// All output elements, [R][q_heads][head_dim_v].
std::vector<double> decoded_output(const xqacheck_problem& problem, const Outcome& outcome);

struct Difference {
  std::uint64_t elements = 0, differing = 0;
  bool in_lse = false;  // no output element differs, but LSE does
  BadElement first;     // got: second outcome, want: first outcome; bound 0
};

// Compares outputs (elements only, not the gaps between them) and LSE of two outcomes of the same problem. Empty:
// identical bits.
std::optional<Difference> first_difference(const xqacheck_problem& problem, const Outcome& expected,
                                           const Outcome& actual);

// The same for some rows only: row `expected_rows[i]` of `expected_problem` against row `actual_rows[i]` of
// `actual_problem`.
std::optional<Difference> first_difference(const xqacheck_problem& expected_problem, const Outcome& expected,
                                           const std::vector<std::uint32_t>& expected_rows,
                                           const xqacheck_problem& actual_problem, const Outcome& actual,
                                           const std::vector<std::uint32_t>& actual_rows);

// xxh64 (seed 0) of output elements in row, head, channel order, then LSE: independent of strides and of what gaps
// hold.
std::uint64_t hash_of_output(const xqacheck_problem& problem, const Outcome& outcome);

}  // namespace xqacheck::properties
