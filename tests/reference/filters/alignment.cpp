// Alignment: the rounding of P is found in the error of a run, and only where it is there.
#include "reference/filters/alignment.hpp"

#include <algorithm>
#include <cmath>

#include "reference/case_line.hpp"
#include "reference/filters/filters.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/reference/filters/rounded_kernel.hpp"

namespace {

using namespace xqacheck;
using namespace xqacheck::reference::filters;

struct Made {
  reference::Problem problem;
  xqacheck_problem view;
  tests::RoundedKernel kernel;
  xqacheck_numerics numerics;
  reference::Golden golden;

  explicit Made(std::uint32_t splits)
      : problem(reference::make_problem(
            reference::parse_case("xqa/1 heads=16/2 len=700 page=16 q=bf16 kv=e4m3 sinks=2 seed=5"))),
        view(problem.view(nullptr, nullptr)) {
    kernel.p_format = XQACHECK_E4M3;
    kernel.p_scale = 448;
    kernel.splits = splits;
    kernel.partial_format = XQACHECK_BF16;
    numerics = kernel.numerics();
    golden = reference::golden(view, &numerics);
  }
  Context context(const tests::RoundedKernel& run_by, std::uint32_t splits) const {
    return {view, golden, &numerics, tests::run(run_by, view), splits};
  }
};

TEST_CASE("the rounding of P that a kernel carried out is taken out of its error") {
  for (const std::uint32_t splits : {1u, 2u, 3u}) {
    const Made made(splits);
    Context context = made.context(made.kernel, splits);
    auto alignment = find_alignment(context, 1);
    REQUIRE(alignment.has_value());
    // Left: partials and weights at the border of two cells, some per cent.
    CHECK(alignment->share < 0.15);
    const auto square = [](const std::vector<double>& error) {
      double sum = 0;
      for (double e : error) sum += e * e;
      return sum;
    };
    const double before = square(context.evidence.error);
    adopt(context, std::move(*alignment));
    CHECK(square(context.evidence.error) < 0.15 * before);
    CHECK(context.aligned());
  }
}

TEST_CASE("sub-sequences that are not known about hide the alignment of most tiles") {
  const Made made(3);
  const Context known = made.context(made.kernel, 3), unknown = made.context(made.kernel, 0);
  const auto with = find_alignment(known, 1), without = find_alignment(unknown, 1);
  REQUIRE(with.has_value());
  if (without) CHECK(without->share > 2 * with->share);
}

TEST_CASE("no alignment is found where P was rounded on another grid than declared, or not at all") {
  const Made made(2);
  tests::RoundedKernel other = made.kernel;
  other.p_scale = 300;  // not a power of two times 448: the cells lie elsewhere
  CHECK_FALSE(find_alignment(made.context(other, 2), 1).has_value());
  other.p_format = XQACHECK_FP32;
  CHECK_FALSE(find_alignment(made.context(other, 2), 1).has_value());
}

TEST_CASE("the number of threads changes nothing") {
  const Made made(2);
  const Context context = made.context(made.kernel, 2);
  const auto one = find_alignment(context, 1), three = find_alignment(context, 3);
  REQUIRE((one.has_value() && three.has_value()));
  CHECK(one->share == three->share);
  CHECK(one->predicted == three->predicted);
  CHECK(one->weight == three->weight);
}

// At 4,096 tokens and twice the declared rounding to tell from, this fault is near the level; the rounding taken out
// leaves no doubt.
TEST_CASE("a sink that half of the heads miss stands out once the rounding of P is known") {
  const Made made(2);
  float sinks[16];
  std::copy_n(static_cast<const float*>(made.view.sinks.data), 16, sinks);
  for (int h = 0; h < 16; h += 2) sinks[h] = -1e30f;
  xqacheck_problem faulty = made.view;
  faulty.sinks.data = sinks;
  const FilterReport report =
      run_filters(made.view, made.golden, &made.numerics, tests::run(made.kernel, faulty), {.threads = 1, .splits = 2});
  REQUIRE(report.alarm());
  CHECK(text_of(report.alarms.front().suspect, 1) == "sink ignored in the even heads");
  CHECK(report.alarms.front().sigmas > 1.5 * report.run_level);
}

}  // namespace
