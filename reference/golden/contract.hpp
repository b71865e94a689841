// The contractions of the golden model on one tile of tokens.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::reference {

inline constexpr std::size_t kBlockTokens = 64;  // tokens of a tile: a V tile of 128 doubles a token fits the L2 cache

// scores[r * stride + t] = sum_d q[r * dim + d] * k[t * dim + d]
void score_tile(const double* q, std::size_t rows, const double* k, std::size_t tokens, std::size_t dim, double* scores,
                std::size_t stride);

// sums[r * dim + d] += sum_t weights[r * kBlockTokens + t] * v[t * dim + d]
void add_tile(const double* weights, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim,
              double* sums);

// Exact values of `count` consecutive elements of `dtype` (xqacheck_dtype) at `data`, which need not be aligned.
void decode(const std::byte* data, std::uint32_t dtype, std::size_t count, double* out);

// Euclidean norm.
double norm(const double* x, std::size_t count);

}  // namespace xqacheck::reference
