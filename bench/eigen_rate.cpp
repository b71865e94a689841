// Compiled for the machine it is built on (-march=native), so that Eigen has the same instruction set as the golden
// model's run-time dispatch.
#include "bench/eigen_rate.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <ctime>

namespace xqacheck::bench {

double eigen_gemm_rate(int threads, int rounds) {
  // Square and large enough that packing costs nothing, small enough that a round takes some 50 ms.
  constexpr int kSize = 768;
  Eigen::setNbThreads(threads);
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(kSize, kSize), b = Eigen::MatrixXd::Random(kSize, kSize);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(kSize, kSize);
  double best = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::clock_t begin = std::clock();
    c.noalias() = a * b;
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / threads;
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds);
  }
  return c(0, 0) == 12345.0 ? 0 : best;  // the product must not be optimised away
}

const char* eigen_instruction_set() {
  return Eigen::SimdInstructionSetsInUse();
}

}  // namespace xqacheck::bench
