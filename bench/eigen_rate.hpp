// The yardstick of the golden model: Eigen's double matrix product.
#pragma once

namespace xqacheck::bench {

// Floating-point operations a second, best of `rounds`, on `threads` threads.
double eigen_gemm_rate(int threads, int rounds);
const char* eigen_instruction_set();

}  // namespace xqacheck::bench
