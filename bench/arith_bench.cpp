// Single-core speed of emulation/arith: exact tiles and array functions, best and median of many runs, against the
// plain forms and an inexact f32 matrix product (Eigen) of the same size.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "bench/eigen_product.hpp"
#include "emulation/arith/array.hpp"
#include "emulation/arith/fast/targets.hpp"
#include "emulation/arith/plain/mufu.hpp"
#include "emulation/arith/plain/tile.hpp"
#include "emulation/arith/tile.hpp"
#include "hwy/highway.h"

namespace {

namespace arith = xqacheck::arith;
using arith::Format;

// Seconds of one call: best and median over at least `seconds` and five calls.
struct Timing {
  double best;
  double median;
};

template <class Body>
Timing measure(double seconds, Body body) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  double total = 0;
  while (total < seconds || times.size() < 5) {
    const auto start = Clock::now();
    body();
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

// Attention-like operands: values of magnitude near one, all finite.
std::vector<uint8_t> operand_bytes(Format format, size_t n, uint32_t seed) {
  std::vector<uint8_t> bytes(n * static_cast<size_t>(arith::bytes_of(format)));
  uint64_t state = seed;
  for (size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const auto r = static_cast<uint32_t>(state >> 32);
    const auto& layout = arith::layout_of(format);
    const int exponent = layout.bias - static_cast<int>(r % 4);
    uint32_t pattern = (r & 0x80000000u ? layout.sign_bit() : 0) |
                       static_cast<uint32_t>(exponent) << layout.mantissa_bits |
                       (r >> 8 & ((1u << layout.mantissa_bits) - 1));
    if (format == Format::s8) pattern = r & 0xff;
    std::memcpy(&bytes[i * static_cast<size_t>(arith::bytes_of(format))], &pattern,
                static_cast<size_t>(arith::bytes_of(format)));
  }
  return bytes;
}

// Eigen compiled for the best vector unit of this machine.
auto eigen_product() {
  auto product = xqacheck::bench::product_baseline;
#ifdef XQACHECK_BENCH_X86
  if (__builtin_cpu_supports("avx2") != 0) product = xqacheck::bench::product_avx2;
  if (__builtin_cpu_supports("avx512bw") != 0) product = xqacheck::bench::product_avx512;
#endif
  return product;
}

void bench_tile(const arith::MatrixInstruction& instruction, size_t rows, size_t columns, size_t k) {
  const auto a = operand_bytes(instruction.operands, rows * k, 1);
  const auto b = operand_bytes(instruction.operands, columns * k, 2);
  const arith::OperandView view_a{instruction.operands, a.data(), rows, k, k};
  const arith::OperandView view_b{instruction.operands, b.data(), columns, k, k};
  std::vector<uint32_t> c(rows * columns, 0);
  const double macs = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(k);

  const auto decoded_a = arith::decode_rows(instruction, view_a);
  const auto decoded_b = arith::decode_columns(instruction, view_b);
  const Timing fast = measure(0.3, [&] { arith::multiply(instruction, decoded_a, decoded_b, c.data(), columns); });
  const Timing whole = measure(0.3, [&] { arith::multiply_tile(instruction, view_a, view_b, c.data(), columns); });
  const Timing plain =
      measure(0.2, [&] { arith::plain::multiply_tile(instruction, view_a, view_b, c.data(), columns); });
  std::vector<float> x(rows * k, 0.5f), y(columns * k, 0.25f), z(rows * columns, 0.0f);
  const auto product = eigen_product();
  const Timing eigen = measure(0.1, [&] {
    product(x.data(), y.data(), z.data(), static_cast<long>(rows), static_cast<long>(columns), static_cast<long>(k));
  });
  const auto rate = [macs](double seconds) { return macs / seconds * 1e-6; };
  fmt::print("{:30} {:>3}x{:>3}x{:>4} {:9.0f} {:9.0f} {:9.0f} {:9.0f} {:9.2f} {:9.0f} {:8.0f} {:8.3f}\n",
             instruction.name, rows, columns, k, rate(fast.best), rate(fast.median), rate(whole.best),
             rate(whole.median), rate(plain.best), rate(eigen.best), plain.median / fast.median,
             eigen.median / fast.median);
}

template <class Fast>
void bench_array(const char* name, const std::vector<uint32_t>& x, Fast fast, uint32_t (*plain)(uint32_t)) {
  std::vector<uint32_t> out(x.size());
  const Timing quick = measure(0.3, [&] { fast(x.data(), out.data(), x.size()); });
  const Timing slow = measure(0.2, [&] {
    for (size_t i = 0; i < x.size(); ++i) out[i] = plain(x[i]);
  });
  const auto n = static_cast<double>(x.size());
  fmt::print("{:30} {:9.0f} {:9.0f} {:9.2f} {:8.0f}\n", name, n / quick.best * 1e-6, n / quick.median * 1e-6,
             n / slow.best * 1e-6, slow.median / quick.median);
}

}  // namespace

int main() {
  const int64_t best = hwy::SupportedTargets() & HWY_TARGETS;
  fmt::print("vector unit: {}, one core\n\n", hwy::TargetName(best & -best));
  fmt::print("million multiply-accumulates per second; 'whole' includes decoding both operands\n");
  fmt::print("{:30} {:>12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}\n", "instruction", "shape", "best", "median",
             "whole", "median", "plain", "Eigen f32", "x plain", "x Eigen");
  for (const auto* instruction :
       {&arith::sm_90::mma_f16(), &arith::sm_90::mma_bf16(), &arith::sm_90::wgmma_f16(), &arith::sm_90::wgmma_bf16(),
        &arith::sm_90::wgmma_e4m3(), &arith::sm_90::mma_e4m3(), &arith::sm_90::mma_s8()}) {
    bench_tile(*instruction, 64, 256, 128);
    bench_tile(*instruction, 16, 64, 128);  // one decode tile: 16 query rows, 64 keys
    bench_tile(*instruction, 8, 128, 64);
  }
  std::vector<uint32_t> x(16384);
  for (size_t i = 0; i < x.size(); ++i) {
    const float value = -static_cast<float>(i % 4096) * 0.00731f;  // softmax exponents: -30 ... 0
    std::memcpy(&x[i], &value, sizeof value);
  }
  fmt::print("\nmillion results per second\n{:30} {:>9} {:>9} {:>9} {:>8}\n", "function", "best", "median", "plain",
             "x plain");
  bench_array("ex2.approx.ftz", x, arith::ex2_array, arith::plain::ex2_approx_ftz_f32);
  bench_array("rcp.approx.ftz", x, arith::rcp_array, arith::plain::rcp_approx_ftz_f32);
  return 0;
}
