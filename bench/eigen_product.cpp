// C += A * B in f32 by Eigen. Compiled once for each instruction set, each time with Eigen's namespace renamed
// (-DEigen=...), so that the linker does not mix their inline functions.
#include "bench/eigen_product.hpp"

#include <Eigen/Core>

namespace xqacheck::bench {

void XQACHECK_BENCH_PRODUCT(const float* a, const float* b, float* c, long rows, long columns, long k) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c, rows, columns).noalias() +=
      Eigen::Map<const Matrix>(a, rows, k) * Eigen::Map<const Matrix>(b, k, columns);
}

}  // namespace xqacheck::bench
