// Values of one tile of K or V: decoding, and what the error model wants to know about them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::reference {

// Exact values of `count` (a multiple of 16) consecutive elements of `dtype` (xqacheck_dtype) at `data`, which need not
// be aligned. Returns the sum of their squares: NaN or infinite exactly where one of them is (no format here reaches
// the square root of the largest double).
double decode(const std::byte* data, std::uint32_t dtype, std::size_t count, double* out);

// Per channel of `tokens` rows of `dim` finite numbers: adds the signs to `signs` and raises `largest` to |v|.
void describe(const double* v, std::size_t tokens, std::size_t dim, double* signs, double* largest);

// reach[i] = max(reach[i], |sums[i]|); count is a multiple of 16.
void raise_reach(const double* sums, std::size_t count, double* reach);

}  // namespace xqacheck::reference
