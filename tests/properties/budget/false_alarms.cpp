// How often the gate raises an alarm on a kernel that did not change.
//
// On the seeds of its budget a deterministic kernel writes the bits that the budget remembers: every change is 0, and
// no number of repetitions could raise an alarm. The question is about other seeds: a thousand checks, each of fresh
// seeds against a budget of other seeds, both as large as `measure` and `check --fresh` make them.
//
// A thousand independent pairs of samples would be some 400,000 runs. They are drawn from a pool instead, at random and
// without replacement within a check: the two sides of a check are independent given the pool, but each sample of the
// pool takes part in a hundred checks or more, so that the thousand answers depend on each other. Their expected number
// of alarms is that of independent checks; their spread is larger, as if there were fewer checks than a thousand.
#include <fmt/core.h>

#include <algorithm>

#include "properties/budget/signs.hpp"
#include "tests/catch.hpp"
#include "tests/properties/budget/gated.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using namespace xqacheck::properties::budget;
using namespace xqacheck::tests;

namespace {

constexpr std::size_t kChecks = 1000, kMostFailed = 1, kMostMistrusted = 10, kPilot = 32;

// `count` different members of the pool.
SampleSet draw(const SampleSet& pool, std::size_t count, std::uint64_t check) {
  constexpr std::uint64_t kRow = 1u << 22;  // away from other users of sign_word()
  std::vector<std::size_t> order(pool.samples.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  SampleSet set;
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + sign_word(kRow + check, i) % (order.size() - i)]);
    set.samples.push_back(pool.samples[order[i]]);
  }
  return set;
}

SampleSet part_of(const SampleSet& set, std::size_t first, std::size_t count) {
  SampleSet part;
  const auto begin = set.samples.begin() + static_cast<std::ptrdiff_t>(first);
  part.samples.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return part;
}

// Returns how many checks said MISTRUSTED.
std::size_t unchanged_kernel_does_not_fail(const char* line, std::size_t pool_size) {
  const reference::RunLine configuration = reference::parse_run_line(line);
  Runners runners = planted_runners(of_recipe(""), true);
  const SampleSet pool = take_samples(configuration, runners, 1, pool_size);
  REQUIRE(pool.samples.size() == pool_size);
  std::size_t failed = 0, mistrusted = 0, most = 0;
  for (std::size_t check = 0; check < kChecks; ++check) {
    constexpr std::size_t kBoth = 1000;  // more than the two sides ever take
    const SampleSet drawn = draw(pool, kBoth, check);
    const std::size_t own = samples_to_measure(part_of(drawn, 0, kPilot), kBudgetFalseAlarms);
    const ConfigurationBudget budget = budget_of(configuration, 1, part_of(drawn, 0, own));
    const std::size_t fresh = fresh_samples(budget, kBudgetFalseAlarms);
    most = std::max(most, own + fresh);
    REQUIRE(own + fresh <= kBoth);
    constexpr std::uint64_t kOtherSeeds = 1u << 30;
    const ConfigurationFinding f = judge(budget, part_of(drawn, own, fresh), kOtherSeeds, {kBudgetFalseAlarms});
    REQUIRE_FALSE(f.paired);
    if (f.verdict.status == Status::failed) ++failed, fmt::print("{}: {}\n", check, f.verdict.message);
    if (f.verdict.status == Status::mistrusted && mistrusted++ < 3) fmt::print("{}: {}\n", check, f.verdict.message);
  }
  fmt::print("{}: {} false alarms, {} times too few samples, in {} checks of at most {} samples from a pool of {}\n",
             line, failed, mistrusted, kChecks, most, pool_size);
  CHECK(failed <= kMostFailed);
  return mistrusted;
}

}  // namespace

TEST_CASE("an unchanged kernel passes a thousand checks with fresh seeds: 4096 tokens", "[nightly][alarms-long]") {
  CHECK(unchanged_kernel_does_not_fail("xqa/1 heads=16/2 len=4096 kv=e4m3", 2400) <= kMostMistrusted);
}

TEST_CASE("an unchanged kernel passes a thousand checks with fresh seeds: 512 tokens", "[nightly][alarms-short]") {
  CHECK(unchanged_kernel_does_not_fail("xqa/1 heads=8/1 len=512 kv=e4m3", 4000) <= kMostMistrusted);
}

// Norms of errors on heavy-tailed data differ by a third from seed to seed: no affordable number of other seeds shows
// that they did not rise by 6 %, and the gate has to say so each time instead of passing or failing.
TEST_CASE("an unchanged kernel is not trusted, but does not fail, on heavy-tailed data with fresh seeds",
          "[nightly][alarms-heavy]") {
  CHECK(unchanged_kernel_does_not_fail("xqa/1 heads=8/1 len=512 kv=e4m3 data=heavy", 4000) >= kChecks * 9 / 10);
}

TEST_CASE("an unchanged kernel that is deterministic never fails on the seeds of its budget") {
  const reference::RunLine run_line = reference::parse_run_line("xqa/1 heads=8/1 len=300 kv=e4m3");
  Runners runners = planted_runners(of_recipe(""), true);
  const SampleSet set = take_samples(run_line, runners, 1, 16);
  // Through the text of a file, whose seven digits are all that a check has.
  Budget file;
  file.provenance.kernel = "planted";
  file.configurations.push_back(budget_of(run_line, 1, set));
  const Budget read = parse_budget(text_of(file), "x");
  const ConfigurationFinding f = judge(read.configurations[0], set, 1, {kBudgetFalseAlarms});
  CHECK(f.verdict.status == Status::passed);
  CHECK(f.identical == 16);
  CHECK(f.warnings.empty());
  for (const MetricFinding& m : f.metrics) CHECK(std::fabs(m.change.mean) < 1e-6);
}
