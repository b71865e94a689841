// Rate of the golden model: floating-point operations of its two contractions (2 * 2 * rows * tokens * dim) a second,
// beside Eigen's double matrix product on as many threads in the same run, and what the error model adds.
//
// Times are processor time over threads, so that other work on the machine does not count.
//
//   golden_bench [threads] [rounds] [case line]…    (default: 2 threads, best of 15 rounds, some typical cases)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "bench/eigen_rate.hpp"
#include "reference/case_line.hpp"
#include "reference/golden.hpp"
#include "reference/problem.hpp"

namespace {

using namespace xqacheck;

double best_seconds(const reference::Problem& problem, const reference::GoldenOptions& options, int threads,
                    int rounds) {
  // Processor time of threads that run on other cores is brought up to date only now and then: a round is long enough
  // for that to be nothing.
  constexpr double kRound = 0.06;
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    int calls = 0;
    double seconds = 0;
    for (const std::clock_t begin = std::clock(); seconds < kRound; ++calls) {
      if (reference::golden(view, nullptr, options).out.empty()) std::abort();
      seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    }
    best = std::min(best, seconds / calls / threads);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2, rounds = argc > 2 ? std::atoi(argv[2]) : 15;
  const double eigen = bench::eigen_gemm_rate(threads, rounds);
  fmt::print("Eigen double product, {} threads ({}): {:.1f} GFLOP/s\n", threads, bench::eigen_instruction_set(),
             eigen * 1e-9);
  std::vector<std::string> lines = {"xqa/1 heads=8/1 dim=128 len=8192 page=32 q=bf16 kv=bf16",
                                    "xqa/1 heads=8/1 dim=128 len=8192 page=32 q=bf16 kv=e4m3",
                                    "xqa/1 heads=8/1 dim=128 len=8192 page=32 q=fp16 kv=int8",
                                    "xqa/1 heads=1/1 dim=128 len=8192 page=32 q=bf16 kv=bf16",
                                    "xqa/1 heads=16/1 dim=576/512 len=4096 page=64 q=bf16 kv=bf16",
                                    "xqa/1 heads=16/2 dim=128 len=512x16 page=32 q=bf16 kv=e4m3"};
  if (argc > 3) lines.assign(argv + 3, argv + argc);
  for (const std::string& line : lines) {
    const reference::Case c = reference::parse_case(line);
    const reference::Problem problem = reference::make_problem(c);
    double tokens = 0;
    for (std::uint32_t length : c.lens) tokens += length;
    const double operations = 2.0 * c.q_heads * tokens * (c.dim + c.dim_v);
    const double output = best_seconds(problem, {false, false, threads}, threads, rounds);
    const double bounded = best_seconds(problem, {true, false, threads}, threads, rounds);
    fmt::print("{:62} output {:7.2f} ms, {:5.1f} GFLOP/s = {:4.1f} % of Eigen; with the error model {:.2f} x\n", line,
               output * 1e3, operations / output * 1e-9, 100 * operations / output / eigen, bounded / output);
  }
}
