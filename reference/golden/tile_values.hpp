// Values of one tile of K or V: decoding, and what the error model wants to know about them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::reference {

// Exact values of `count` (a multiple of 16) consecutive elements of `dtype` (xqacheck_dtype) at `data`, which need not
// be aligned.
struct Decoded {
  bool finite;    // all are
  double square;  // sum of their squares
};
Decoded decode(const std::byte* data, std::uint32_t dtype, std::size_t count, double* out);

// Per channel of `tokens` rows of `dim` finite numbers: adds the signs to `signs` and raises `largest` to |v|.
void describe(const double* v, std::size_t tokens, std::size_t dim, double* signs, double* largest);

// reach[i] = max(reach[i], |sums[i]|); count is a multiple of 16.
void raise_reach(const double* sums, std::size_t count, double* reach);

}  // namespace xqacheck::reference
