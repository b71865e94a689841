// Figures and maps of the error, against sums done here by hand.
#include "properties/checks/error_figures.hpp"

#include <cmath>
#include <cstring>

#include "properties/output.hpp"
#include "reference/case_line.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;
namespace reference = xqacheck::reference;

namespace {

// Two requests of one row, 2 heads, 4 channels, fp16 output. Golden: 1 everywhere; worst 2^-12, sigma 2^-14, bias 0.
constexpr double kWorst = 0x1p-12, kSigma = 0x1p-14;
// Beside 1, fp16 numbers above lie 2^-10 apart: rounding explains half of that. Below 1 they lie 2^-11 apart.
constexpr double kRounding = 0x1p-11;

struct Hand {
  reference::Problem problem = reference::make_problem(reference::parse_case("xqa/1 heads=2/1 dim=16 len=3,3 q=fp16"));
  xqacheck_problem view = problem.view(nullptr, nullptr);
  xqacheck_numerics numerics{};
  reference::Golden golden;
  std::vector<std::byte> out;

  Hand() {
    golden.rows = view.total_rows, golden.heads = view.q_heads, golden.dim_v = view.head_dim_v;
    const std::size_t count = std::size_t{golden.rows} * golden.heads * golden.dim_v;
    golden.out.assign(count, 1), golden.worst.assign(count, kWorst), golden.sigma.assign(count, kSigma);
    golden.bias.assign(count, 0);
    out.resize(out_offset(view, golden.rows - 1, golden.heads - 1, golden.dim_v - 1) + 2);
    for (std::uint32_t row = 0; row < golden.rows; ++row)
      for (std::uint32_t head = 0; head < golden.heads; ++head)
        for (std::uint32_t dim = 0; dim < golden.dim_v; ++dim) write(row, head, dim, 0x3C00);  // 1
  }
  void write(std::uint32_t row, std::uint32_t head, std::uint32_t dim, std::uint16_t bits) {
    std::memcpy(out.data() + out_offset(view, row, head, dim), &bits, 2);
  }
  double count() const { return static_cast<double>(golden.out.size()); }
};

}  // namespace

TEST_CASE("an exact output has no error, and the figures of a correct kernel") {
  Hand hand;
  const ErrorFigures figures = error_figures(hand.view, hand.golden, hand.numerics, hand.out);
  CHECK(figures.rms == 0);
  CHECK(figures.largest == 0);
  CHECK(figures.signal == 1);
  // want == got: the side is that towards zero, where the spacing is 2^-11 and half of it 2^-12.
  const double rounding = kRounding / 2;
  CHECK(figures.sigma == Approx(std::sqrt(kSigma * kSigma + rounding * rounding / 3)));
  CHECK(figures.limit == Approx(kWorst + rounding));
}

TEST_CASE("one wrong element is found in both maps") {
  Hand hand;
  hand.write(1, 0, 5,
             0x3E00);  // 1.5: too large by 0.5, and rounding down to it from 1 explains half a spacing below it
  const ErrorFigures figures = error_figures(hand.view, hand.golden, hand.numerics, hand.out);
  CHECK(figures.largest == 0.5);
  CHECK(figures.rms == Approx(0.5 / std::sqrt(hand.count())));
  const auto maps = error_maps(hand.view, hand.golden, hand.numerics, hand.out);
  REQUIRE(maps.size() == 2);
  CHECK((maps[0].rows == "head" && maps[0].columns == "dim" && maps[0].cell_rows == 2 && maps[0].cell_columns == 16));
  CHECK((maps[1].rows == "request" && maps[1].columns == "row" && maps[1].cell_rows == 2 && maps[1].cell_columns == 1));
  const double share = 0.5 / (kWorst + kRounding);
  for (std::size_t i = 0; i < maps[0].cells.size(); ++i)
    CHECK(maps[0].cells[i] == (i == 5 ? Approx(share) : Approx(0)));
  CHECK(maps[1].cells[0] == 0);
  CHECK(maps[1].cells[1] == Approx(share));
}

TEST_CASE("NaN is beyond all measure, and elements without a promise are left out") {
  Hand hand;
  hand.write(0, 1, 2, 0x7E00);
  for (std::uint32_t dim = 0; dim < 16; ++dim) hand.golden.worst[dim] = HUGE_VAL;  // row 0, head 0
  const ErrorFigures figures = error_figures(hand.view, hand.golden, hand.numerics, hand.out);
  CHECK(std::isnan(figures.largest));
  CHECK(std::isnan(figures.rms));
  CHECK(std::isfinite(figures.sigma));
  CHECK(error_maps(hand.view, hand.golden, hand.numerics, hand.out)[0].cells[16 + 2] == HUGE_VAL);
  hand.golden.worst.assign(hand.golden.worst.size(), HUGE_VAL);
  CHECK(error_figures(hand.view, hand.golden, hand.numerics, hand.out).signal == 0);
  const auto nothing = error_maps(hand.view, hand.golden, hand.numerics, hand.out);
  for (const double cell : nothing[0].cells) CHECK(cell == ErrorMap::kNothing);
}
