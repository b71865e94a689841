// The judge: output rounding on the grid of what was written, faults by kind, shares of the bound, statistics.
#include "reference/judge.hpp"

#include <cmath>
#include <limits>

#include "reference/golden/element.hpp"
#include "tests/catch.hpp"
#include "tests/reference/hand_problem.hpp"

using namespace xqacheck::reference;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A golden result made by hand: one row, `heads` heads, 16 channels, and the bytes of an output in bf16.
struct Bench {
  xqacheck_problem p{};
  Golden g;
  std::vector<std::uint16_t> out;
  explicit Bench(std::uint32_t heads = 1) {
    p.out.dtype = XQACHECK_BF16;
    p.q.dtype = XQACHECK_BF16;
    p.out_stride_head = 16;
    p.out_stride_row = 16 * heads;
    g.rows = 1;
    g.heads = heads;
    g.dim_v = 16;
    const std::size_t n = heads * 16;
    for (std::size_t i = 0; i < n; ++i) g.out.push_back(1 + 0.0625 * static_cast<double>(i % 7));
    for (std::size_t h = 0; h < heads; ++h) g.lse.push_back(static_cast<double>(h));
    g.worst.assign(n, 0.05);
    g.sigma.assign(n, 0.002);
    g.bias.assign(n, 0.001);
    g.lse_worst.assign(heads, 0);
    g.sum_p_abs_v.assign(n, 1);
    g.empty.assign(heads, 0);
    g.special.assign(heads, 0);
    for (double x : g.out) out.push_back(static_cast<std::uint16_t>(xqacheck::tests::encode(XQACHECK_BF16, x)));
  }
  void write(std::size_t i, double x) {
    out[i] = static_cast<std::uint16_t>(xqacheck::tests::encode(XQACHECK_BF16, x));
  }
  Judgement judged() const {
    return judge(p, g, nullptr, reinterpret_cast<const std::byte*>(out.data()), out.size() * 2, nullptr, 0);
  }
};

}  // namespace

TEST_CASE("Output rounding is half a step of the written number, towards the wanted one") {
  // bf16 around 1: steps of 2^-7 above, 2^-8 below.
  CHECK(output_rounding(1.0, 1.001, XQACHECK_BF16) == 0x1p-8);
  CHECK(output_rounding(1.0, 0.999, XQACHECK_BF16) == 0x1p-9);
  CHECK(output_rounding(-1.0, -0.999, XQACHECK_BF16) == 0x1p-9);
  CHECK(output_rounding(1.5, 1.4, XQACHECK_FP16) == 0x1p-11);
  // Zero and subnormals have the smallest step.
  CHECK(output_rounding(0.0, 0.1, XQACHECK_FP16) == 0x1p-25);
  CHECK(output_rounding(0x1p-24, 0.1, XQACHECK_FP16) == 0x1p-25);
  CHECK(output_rounding(0x1p-14, 0, XQACHECK_FP16) == 0x1p-25);
  CHECK(output_rounding(0x1p-9, 0, XQACHECK_E4M3) == 0x1p-10);
  // The largest e4m3 number stands for everything beyond; the infinity of fp16 too.
  CHECK(output_rounding(448, 1e9, XQACHECK_E4M3) == kInf);
  CHECK(output_rounding(448, 440, XQACHECK_E4M3) == 16);
  CHECK(output_rounding(-448, 1e9, XQACHECK_E4M3) == 16);
  CHECK(output_rounding(-128, -1000, XQACHECK_INT8) == kInf);
  CHECK(output_rounding(5, 5.4, XQACHECK_INT8) == 0.5);
  // Rounded to bf16 first: half a bf16 step more.
  CHECK(output_rounding(1.0, 1.05, XQACHECK_E4M3, XQACHECK_BF16) == 0x1p-4 + 0x1p-8);
}

TEST_CASE("Output rounding agrees with rounding itself on all e4m3 numbers") {
  const NumberFormat format = format_of(XQACHECK_E4M3);
  for (int bits = 0; bits < 127; ++bits) {
    const double x = from_e4m3(static_cast<std::uint8_t>(bits));
    for (double step : {-0.51, -0.5, -0.49, -0.26, -0.25, -0.24, 0.24, 0.25, 0.26, 0.49, 0.5, 0.51}) {
      const double want = x + step * spacing(format, x);
      if (want < 0 || std::fabs(want) > 448) continue;
      const double half = output_rounding(x, want, XQACHECK_E4M3);
      if (rounded(format, want) == x) CHECK(std::fabs(want - x) <= half);
      if (std::fabs(want - x) < half) CHECK(rounded(format, want) == x);
    }
  }
}

TEST_CASE("A correct output has no faults and uses nothing of the bound") {
  const Judgement j = Bench().judged();
  CHECK(j.passed());
  CHECK(j.elements == 16);
  CHECK(j.bound_used == 0);
  CHECK(j.largest_z == 0);
}

TEST_CASE("Faults are found, named and placed") {
  Bench b(3);
  b.write(17, 1.25);                   // want 1.1875, 0.0625 away: rounding 2^-8, worst 0.05
  b.g.out[20] = kNan;                  // a number where NaN was due
  b.write(33, kNan);                   // NaN where a number was due
  b.g.out[40] = 1.0 - 0x1p-9 - 0.025;  // inside of the worst case, far outside of the statistics
  b.write(40, 1.0);
  const Judgement j = b.judged();
  CHECK(!j.passed());
  CHECK(j.bad == 4);
  REQUIRE(j.faults.size() == 4);
  CHECK(j.faults[0].kind == FaultKind::worst);
  CHECK(j.faults[0].head == 1);
  CHECK(j.faults[0].dim == 1);
  CHECK(j.faults[0].bound == Approx(0.05 + 0x1p-8).epsilon(1e-9));
  CHECK(j.faults[0].ulps == Approx(0.0625 / 0x1p-7));
  CHECK(j.faults[1].kind == FaultKind::special);
  CHECK(j.faults[2].kind == FaultKind::special);
  CHECK(j.faults[3].kind == FaultKind::statistics);
  CHECK(j.of_kind[0] == 1);
  CHECK(j.of_kind[1] == 1);
  CHECK(j.of_kind[2] == 2);
  CHECK(j.largest_z == Approx((0.025 - 0.001) / 0.002).epsilon(1e-6));
  CHECK(j.bound_used == Approx((0.0625 - 0x1p-8) / 0.05).epsilon(1e-9));
}

TEST_CASE("Infinity and saturation") {
  Bench b;
  b.g.out[0] = kInf;
  b.write(0, kInf);
  b.g.out[1] = -kInf;
  b.write(1, kNan);     // a weight that underflows times infinity
  b.g.out[2] = 3.4e38;  // rounds to infinity within the bound
  b.g.worst[2] = 1e37;
  b.write(2, kInf);
  CHECK(b.judged().passed());
  b.write(0, -kInf);
  b.g.worst[2] = 1e30;
  b.g.out[2] = 3.3e38;
  const Judgement j = b.judged();
  CHECK(j.bad == 2);
  CHECK(j.faults[0].dim == 0);
  CHECK(j.faults[1].dim == 2);
}

TEST_CASE("No bound, no judgement; empty rows are exact") {
  Bench b;
  b.g.worst.assign(16, kInf);
  b.write(3, 77);
  CHECK(b.judged().passed());
  CHECK(b.judged().without_bound == 16);
  Bench e;
  e.g.empty[0] = 1;
  e.g.out.assign(16, 0);
  e.g.worst.assign(16, 0);
  e.g.sigma.assign(16, 0);
  e.g.bias.assign(16, 0);
  e.g.sum_p_abs_v.assign(16, 0);
  for (auto& x : e.out) x = 0x8000;  // -0 is zero
  CHECK(e.judged().passed());
  e.write(7, 0x1p-133);
  CHECK(e.judged().bad == 1);
}

TEST_CASE("The mean square sees what no element shows") {
  // 64 rows whose errors are all 3 sigma: no element is beyond its limit of more than 8, the mean square is 9.
  Bench b(64);
  for (std::size_t i = 0; i < b.g.out.size(); ++i) b.g.out[i] -= 0x1p-8 + 0.001 + 3 * 0.002;
  const Judgement j = b.judged();
  CHECK(j.bad == 0);
  CHECK(j.largest_z < 4);  // 1.0 itself has half the rounding towards 0, which leaves one sigma more
  CHECK(j.independent_rows == 64);
  CHECK(j.mean_square > j.mean_square_limit);
  CHECK(!j.passed());
  // The same in 64 copies of one row counts as one row.
  for (auto& x : b.g.lse) x = 0;
  for (std::size_t i = 0; i < b.g.out.size(); ++i) b.g.out[i] = b.g.out[i % 16];
  CHECK(b.judged().independent_rows == 1);
}

TEST_CASE("z limit: the union bound of the normal tail") {
  CHECK(z_limit(2048, 1e-6) == Approx(std::sqrt(2 * std::log(2 * 2048 / 1e-6))));
  // 2 exp(-z^2 / 2) is above the normal tail erfc(z / sqrt 2) at every z.
  for (double z = 1; z < 10; z += 0.5) CHECK(2 * std::exp(-z * z / 2) > std::erfc(z / std::sqrt(2.0)));
}
