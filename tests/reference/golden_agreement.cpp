// The two golden models agree (DESIGN 6): |difference| <= 1e-12 * sum p |v| * (1 + scale * max sum |q||k|), for random
// cases over everything that a case line can say. They share no code: the second was written from the interface text
// alone.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "properties/generate.hpp"
#include "properties/profile.hpp"
#include "reference/case_line.hpp"
#include "reference/golden.hpp"
#include "reference/problem.hpp"
#include "reference/slow_golden.hpp"
#include "tests/catch.hpp"

namespace {

using namespace xqacheck;
using reference::Golden;
using reference::SlowGolden;

// DESIGN 6. fp64 sums of thousands of terms err by some 1e-13 relative to the sum of magnitudes.
constexpr long double kTolerance = 1e-12L;

// Below the smallest normal double nothing is left of 1e-12; no kernel format reaches down there.
constexpr long double kUnderflow = std::numeric_limits<double>::min();

struct Disagreement {
  std::string what;
  std::size_t index = 0;
  long double fast = 0, slow = 0, allowed = 0;
};

// NaN and Inf agree as "no number": which of the two appears depends on whether a tiny weight is rounded to zero (G17).
bool agree(long double fast, long double slow, long double allowed) {
  if (!std::isfinite(slow)) return !std::isfinite(fast);
  return std::isfinite(fast) && std::fabs(fast - slow) <= allowed;
}

// -inf LSE of an empty row and +inf LSE of a +inf sink are exact answers.
bool agree_lse(long double fast, long double slow, long double allowed) {
  if (std::isnan(slow)) return std::isnan(fast);
  if (std::isinf(slow)) return fast == slow;
  return std::isfinite(fast) && std::fabs(fast - slow) <= allowed;
}

std::vector<Disagreement> compare(const Golden& fast, const SlowGolden& slow) {
  std::vector<Disagreement> bad;
  const std::size_t dim = slow.dim_v;
  for (std::size_t row = 0; row < slow.lse.size(); ++row) {
    const long double conditioning = 1 + slow.score_size[row];
    for (std::size_t i = row * dim; i < (row + 1) * dim; ++i) {
      const long double allowed = kTolerance * slow.sum_p_abs_v[i] * conditioning + kUnderflow;
      if (!agree(fast.out[i], slow.out[i], allowed)) bad.push_back({"out", i, fast.out[i], slow.out[i], allowed});
      const bool sized = std::isfinite(slow.sum_p_abs_v[i]);  // the size of NaN is nothing to agree on
      if (sized && !agree(fast.sum_p_abs_v[i], slow.sum_p_abs_v[i], allowed)) {
        bad.push_back({"sum_p_abs_v", i, fast.sum_p_abs_v[i], slow.sum_p_abs_v[i], allowed});
      }
    }
    const long double allowed = kTolerance * (conditioning + std::fabs(slow.lse[row]));
    if (!agree_lse(fast.lse[row], slow.lse[row], allowed))
      bad.push_back({"lse", row, fast.lse[row], slow.lse[row], allowed});
    if (fast.empty[row] != slow.empty[row])
      bad.push_back({"empty", row, fast.empty[row] * 1.0L, slow.empty[row] * 1.0L, 0});
    if (fast.special[row] != slow.special[row]) {
      bad.push_back({"special", row, fast.special[row] * 1.0L, slow.special[row] * 1.0L, 0});
    }
  }
  return bad;
}

// Formats that a kernel may declare for q; most declare none.
std::uint32_t q_format_of(std::uint64_t index, const reference::Case& c) {
  if (index % 7 != 0) return XQACHECK_NONE;
  return c.kv == reference::Dtype::e4m3 ? XQACHECK_E4M3 : XQACHECK_BF16;
}

std::string check_case(std::uint64_t seed, std::uint64_t index, const properties::Profile& profile) {
  const reference::Case c = properties::draw_case(seed, index, profile, {.products = 400'000, .elements = 200'000});
  const reference::Problem problem = reference::make_problem(c);
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  xqacheck_numerics numerics{};
  numerics.q_format = q_format_of(index, c);
  const Golden fast = reference::golden(view, &numerics, {.error_model = true, .threads = 1});
  const SlowGolden slow = reference::slow_golden(view, &numerics);
  const std::vector<Disagreement> bad = compare(fast, slow);
  if (bad.empty()) return {};
  const Disagreement& b = bad.front();
  return fmt::format(
      "{} q_format={}: {} disagreements, first {}[{}]: fast {:.17g} slow {:.17g} difference {:.3g} allowed {:.3g}",
      reference::print_case(c), numerics.q_format, bad.size(), b.what, b.index, b.fast, b.slow, b.fast - b.slow,
      b.allowed);
}

void check_cases(std::uint64_t seed, std::uint64_t count) {
  const properties::Profile profile = properties::full_profile();
  int failures = 0;
  for (std::uint64_t index = 0; index < count && failures < 20; ++index) {
    const std::string message = check_case(seed, index, profile);
    if (message.empty()) continue;
    ++failures;
    UNSCOPED_INFO(message);
    CHECK(message.empty());
  }
  CHECK(failures == 0);
}

TEST_CASE("both golden models agree on random cases over all features") {
  check_cases(20, 250);
}

TEST_CASE("both golden models agree on 6,000 random cases over all features", "[nightly]") {
  check_cases(21, 6000);
}

// Named cases for what random draws hit rarely: every policy of doc/golden.md, G15 to G18.
TEST_CASE("both golden models agree on empty rows and specials") {
  for (const char* line : {
           "xqa/1 heads=8/2 dim=32 len=0,1,5,0 page=16 sinks=2 seed=1",
           "xqa/1 heads=4/1 dim=32 len=0,33 page=16 seed=2",
           "xqa/1 heads=4/2 dim=32 len=9 page=16 draft=4 mask=0,0,0,0 seed=3",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 data=neginf seed=4",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 data=neginf sinks=1 seed=5",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 inject=nan@v:0:5 seed=6",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 inject=inf@v:1:3 seed=7",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 inject=nan@k:0:5 seed=8",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 inject=minf@k:0:5 seed=9",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 draft=3 inject=nan@k:0:39 seed=10",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 draft=3 inject=nan@q:1:1 seed=11",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 window=8 inject=nan@v:0:5 seed=12",
           "xqa/1 heads=4/2 dim=32 len=40,17 page=16 sinks=extreme seed=13",
       }) {
    const reference::Problem problem = reference::make_problem(reference::parse_case(line));
    const xqacheck_problem view = problem.view(nullptr, nullptr);
    const std::vector<Disagreement> bad = compare(reference::golden(view, nullptr), reference::slow_golden(view));
    INFO(line);
    if (!bad.empty()) {
      INFO(bad.front().what << "[" << bad.front().index << "]: fast " << static_cast<double>(bad.front().fast)
                            << " slow " << static_cast<double>(bad.front().slow));
      CHECK(bad.empty());
    }
    CHECK(bad.empty());
  }
}

}  // namespace
