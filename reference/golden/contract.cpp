#include "reference/golden/contract.hpp"

#include <cmath>

#include "reference/golden/element.hpp"

namespace xqacheck::reference {

void score_tile(const double* q, std::size_t rows, const double* k, std::size_t tokens, std::size_t dim, double* scores,
                std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t t = 0; t < tokens; ++t) {
      double sum = 0;
      for (std::size_t d = 0; d < dim; ++d) sum += q[r * dim + d] * k[t * dim + d];
      scores[r * stride + t] = sum;
    }
  }
}

void add_tile(const double* weights, std::size_t rows, const double* v, std::size_t tokens, std::size_t dim,
              double* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t t = 0; t < tokens; ++t) {
      const double w = weights[r * kBlockTokens + t];
      if (w == 0) continue;
      for (std::size_t d = 0; d < dim; ++d) sums[r * dim + d] += w * v[t * dim + d];
    }
  }
}

void decode(const std::byte* data, std::uint32_t dtype, std::size_t count, double* out) {
  const std::size_t size = bytes_of(dtype);
  for (std::size_t i = 0; i < count; ++i) out[i] = element(data + i * size, dtype);
}

double norm(const double* x, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace xqacheck::reference
