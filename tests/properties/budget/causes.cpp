// The split by cause: shares add up, the two ends of an order are what they claim, and switches do what they say.
#include "properties/budget/causes.hpp"

#include <fmt/core.h>

#include <cmath>

#include "properties/budget/sampling.hpp"
#include "tests/catch.hpp"
#include "tests/properties/budget/planted.hpp"

using namespace xqacheck;
using namespace xqacheck::properties::budget;

namespace {

using emulation::Recipe;

CauseSplit split(const Recipe& recipe, const std::string& line, std::uint64_t seeds, std::uint64_t first = 1) {
  CauseOptions options;
  options.seeds = seeds, options.first_seed = first, options.threads = 2;
  return split_by_cause(recipe, reference::parse_run_line(line), options);
}

const Cause& cause(const CauseSplit& split, const std::string& step) {
  for (const Cause& c : split.causes)
    if (c.step == step) return c;
  FAIL("no step " << step);
  throw 0;
}

// Mean and interval of nmse over seeds that the split has not seen, from the bits of the kernel and the golden model alone.
Interval measured_total(const Recipe& recipe, const std::string& line, std::uint64_t seeds, std::uint64_t first) {
  xqacheck::properties::Runners runners = tests::runners_of(recipe);
  SamplingOptions options;
  options.attention = false;
  const SampleSet set = take_samples(reference::parse_run_line(line), runners, first, seeds, options);
  const std::vector<double> values = values_of(set.samples, Metric::nmse);
  return interval_of(Kind::size, values, 5e-4);
}

void adds_up(const Recipe& recipe, const std::string& line, std::uint64_t seeds) {
  INFO(line);
  const CauseSplit s = split(recipe, line, seeds);
  double sum = 0, alone = 0;
  for (const Cause& c : s.causes) sum += c.share.mean, alone += c.alone;
  // Shapley values of the same seeds: but for rounding exactly, because fp64 itself errs by 1e-30.
  CHECK(sum == Approx(s.total.mean).epsilon(1e-9));
  CHECK(alone + s.interaction == Approx(s.total.mean).epsilon(1e-9));
  // Against the kernel's own bits on other seeds: within the two intervals together, 99.9 % each.
  const Interval other = measured_total(recipe, line, seeds, 1000);
  std::vector<double> sums;
  for (const std::vector<double>& seed : s.samples) {
    double total = 0;
    for (const double share : seed) total += share;
    sums.push_back(total);
  }
  const Interval mine = interval_of(Kind::size, sums, 5e-4);
  CHECK(mine.low <= other.high);
  CHECK(other.low <= mine.high);
  fmt::print("{}: nmse {:.3g}, sum of shares {:.3g}, on other seeds {:.3g}, interaction {:+.1f} %\n", line, s.total.mean, sum,
             other.mean, 100 * s.interaction / s.total.mean);
}

}  // namespace

TEST_CASE("shares add up for 20 configurations", "[nightly]") {
  const Recipe hmma = emulation::hmma_recipe(), gmma = emulation::gmma_recipe();
  const std::string short_line = "xqa/1 heads=4/1 dim=64 len=200";
  for (const char* kind : {"normal", "outlier", "massive", "heavy", "peaky5", "wide"}) {
    adds_up(gmma, fmt::format("{} kv=e4m3 data={}", short_line, kind), 8);
    adds_up(hmma, fmt::format("{} kv=e4m3 data={}", short_line, kind), 8);
  }
  adds_up(gmma, short_line, 8);
  adds_up(hmma, short_line, 8);
  adds_up(hmma, short_line + " kv=int8", 8);
  adds_up(gmma, short_line + " kv=e4m3 @ plan=1", 8);
  adds_up(gmma, short_line + " kv=e4m3 kscale=1 vscale=1", 8);
  adds_up(gmma, short_line + " kv=e4m3 q=fp16 sinks=2 window=100", 8);
  adds_up(hmma, "xqa/1 heads=4/1 dim=128 len=100 kv=e4m3 draft=3", 8);
  adds_up(gmma, "xqa/1 heads=2/1 dim=256 len=130 kv=e4m3 page=64", 8);
}

TEST_CASE("shares add up") { adds_up(emulation::gmma_recipe(), "xqa/1 heads=4/1 dim=64 len=130 kv=e4m3", 6); }

TEST_CASE("the quantisation of an FP8 cache and of q is most of the error, the exponential none of it") {
  const CauseSplit s = split(emulation::gmma_recipe(), "xqa/1 heads=4/1 dim=64 len=200 kv=e4m3", 6);
  // Rounding to e4m3 has a relative error of 2^-4 / sqrt(3), times about 0.74 over the binade: 2.6 %. V errs by that on every
  // term of the sum, so its nmse is 7e-4; K and q shift scores, of standard deviation 1, by as much each.
  const double variance = std::pow(0x1p-4, 2) / 3 * 0.541;
  CHECK(cause(s, "v").alone == Approx(variance).epsilon(0.25));
  CHECK(cause(s, "p").alone == Approx(variance).epsilon(0.35));
  // Errors of scores count by the few tokens that lead: within a factor of two of the mean over all tokens.
  for (const char* step : {"k", "q"}) {
    CHECK(cause(s, step).alone > variance / 2);
    CHECK(cause(s, step).alone < variance * 2);
  }
  CHECK(cause(s, "k").share.mean + cause(s, "q").share.mean + cause(s, "v").share.mean + cause(s, "p").share.mean >
        0.9 * s.total.mean);
  CHECK(cause(s, "ex2").share.mean < 1e-3 * s.total.mean);
  CHECK(std::fabs(s.interaction) < 0.15 * s.total.mean);
}

TEST_CASE("a cause that moved is named") {
  const std::vector<StoredCause> then = {{"p", 0.25, 0.2, 0.3}, {"v", 0.25, 0.2, 0.3}, {"k", 0.5, 0.45, 0.55}};
  const std::vector<StoredCause> now = {{"p", 0.4, 0.35, 0.45}, {"v", 0.2, 0.15, 0.25}, {"k", 0.4, 0.38, 0.44}};
  CHECK(moved_cause(then, now) == "share of p: 25.0 % (20.0 to 30.0) before, now 40.0 % (35.0 to 45.0)");
  CHECK(moved_cause(then, then).empty());
}

TEST_CASE("what if") {
  const Recipe gmma = emulation::gmma_recipe();
  const reference::RunLine run = reference::parse_run_line("xqa/1 heads=8/2 dim=64 len=200 kv=e4m3");
  CauseOptions options;
  options.seeds = 8, options.threads = 2;
  std::vector<WhatIf> variants;
  for (const char* words : {"p_scale=256", "p=16bit", "p=exact", "arch=sm_100", "scales=head", "scales=page",
                            "exact=q,k,v,qk,score,ex2,p,row_sum,rescale,pv,partial,merge,output"})
    variants.push_back(parse_what_if(gmma, words));
  const std::vector<WhatIfResult> results = try_out(gmma, run, variants, options);
  REQUIRE(results.size() == variants.size());
  for (const WhatIfResult& r : results)
    fmt::print("{}: {:.3g}, {:+.2f} % ({:+.2f} to {:+.2f})\n", r.name, r.nmse.mean, 100 * r.change.mean, 100 * r.change.low, 100 * r.change.high);
  CHECK(results[1].change.high < 0);  // P is one of four sources
  CHECK(std::fabs(results[1].change.mean - results[2].change.mean) < 0.01);  // 16 bits are as good as exact, beside e4m3
  // Nothing overflows with scale 1/4, and floating point does not care for scales: other scales change little.
  CHECK(std::fabs(results[4].change.mean) < 0.1);
  CHECK(results[6].nmse.mean < 1e-20);
  CHECK_THROWS_WITH(parse_what_if(gmma, "p_scal=256"), Catch::Contains("p_scal"));
  CHECK_THROWS_WITH(parse_what_if(gmma, ""), Catch::Contains("needs words"));
  CHECK_THROWS_WITH(parse_what_if(gmma, "scales=row"), Catch::Contains("tensor, head, page"));
}

// int8 has a fixed grid: there a scale decides.
TEST_CASE("scales a head help an int8 cache whose scale is too coarse") {
  const Recipe hmma = emulation::hmma_recipe();
  const reference::RunLine run = reference::parse_run_line("xqa/1 heads=4/1 dim=64 len=200 kv=int8 kscale=0.25 vscale=0.25");
  CauseOptions options;
  options.seeds = 6, options.threads = 2;
  const std::vector<WhatIfResult> results = try_out(hmma, run, {parse_what_if(hmma, "scales=head")}, options);
  // Steps of 4.3 / 127 = 0.034 instead of 0.25: the cache's part of the error becomes seven times smaller.
  CHECK(results[0].change.high < -0.5);
}
