// The contractions of the golden model on one tile of tokens. Vectorised for the machine it runs on; the order of every
// sum is fixed by the vector length, never by threads.
#pragma once

#include <cstddef>
#include <vector>

namespace xqacheck::reference {

inline constexpr std::size_t kBlockTokens = 64;  // tokens of a tile: a V tile of 128 doubles a token fits the L2 cache

// The query rows of a unit, as the product with K wants them.
struct PackedQueries {
  std::size_t rows = 0, dim = 0;
  std::size_t padded = 0;          // rows, rounded up to whole vectors of any machine
  std::vector<double> by_row;      // [rows][dim]
  std::vector<double> by_channel;  // [dim][padded], zero-padded
};
PackedQueries pack_queries(std::vector<double> by_row, std::size_t rows, std::size_t dim);

// scores[r * kBlockTokens + t] = sum_d q[r][d] * k[t * dim + d]; `scratch` holds q.padded * kBlockTokens numbers.
void score_tile(const PackedQueries& q, const double* k, std::size_t tokens, double* scratch, double* scores);

// sums[r * dim + d] += sum_t weights[r * kBlockTokens + t] * v[t * dim + d]; dim is a multiple of 16.
void add_tile(const double* weights, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim,
              double* sums);

}  // namespace xqacheck::reference
