// The contractions of the golden model on one tile of tokens. Vectorised for the machine it runs on; the order of every
// sum is fixed by the vector length, never by threads.
#pragma once

#include <cstddef>
#include <vector>

namespace xqacheck::reference {

inline constexpr std::size_t kBlockTokens = 64;  // tokens of a tile: weights of a row are made for one tile at a time
inline constexpr std::size_t kStripTokens = 16;  // tokens decoded together: 16 rows of 128 doubles fit the L1 cache

// The query rows of a unit, as the product with K wants them.
struct PackedQueries {
  std::size_t rows = 0, dim = 0;
  std::size_t padded = 0;          // rows, rounded up to whole vectors of any machine
  std::vector<double> by_row;      // [rows][dim]
  std::vector<double> by_channel;  // [dim][padded], zero-padded
};
PackedQueries pack_queries(std::vector<double> by_row, std::size_t rows, std::size_t dim);

// scores[r * kBlockTokens + t] = sum_d q[r][d] * k[t * dim + d] for a strip; `k` has room for kStripTokens rows,
// `scratch` for q.padded * kStripTokens numbers.
void score_tile(const PackedQueries& q, const double* k, std::size_t tokens, double* scratch, double* scores);

// Per-element sums of the tile are added to planes [rows][dim]; weights have a row stride of kBlockTokens; dim is a
// multiple of 16.
//   add_tile:     out += sum w v
//   add_absolute: out += sum w |v|
//   add_moments:  out += sum w v, absolute += sum w |v|, square += sum w2 v^2
void add_tile(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim, double* out);
void add_absolute(const double* w, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim, double* out);
struct Moments {
  double *out, *absolute, *square;
};
void add_moments(const double* w, const double* w2, std::size_t rows, const double* v, std::size_t tokens,
                 std::size_t dim, const Moments& sums);

}  // namespace xqacheck::reference
