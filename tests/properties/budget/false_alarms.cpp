// How often the gate raises an alarm on a kernel that did not change: a thousand checks, each with seeds of its own, against
// the budget of other seeds. The samples of a check are drawn without replacement from a pool that is measured once.
#include <fmt/core.h>

#include <algorithm>

#include "properties/budget/check.hpp"
#include "properties/budget/signs.hpp"
#include "tests/catch.hpp"
#include "tests/properties/budget/planted.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using namespace xqacheck::properties::budget;
using namespace xqacheck::tests;

namespace {

constexpr double kFalseAlarms = 1e-4;
constexpr std::size_t kChecks = 1000, kPool = 1024;

// `count` different members of the pool.
SampleSet draw(const SampleSet& pool, std::size_t count, std::uint64_t check) {
  constexpr std::uint64_t kRow = 1u << 22;  // away from other users of sign_word()
  SampleSet set = pool;
  for (std::size_t i = 0; i < count; ++i)
    std::swap(set.samples[i], set.samples[i + sign_word(kRow + check, i) % (set.samples.size() - i)]);
  set.samples.resize(count);
  return set;
}

struct Alarms { std::size_t failed = 0, mistrusted = 0; };

Alarms run(const char* line) {
  const reference::RunLine configuration = reference::parse_run_line(line);
  Runners runners = planted_runners(of_recipe(""), true);
  const SampleSet pool = take_samples(configuration, runners, 1, kPool);
  REQUIRE(pool.samples.size() == kPool);
  Alarms alarms;
  for (std::size_t check = 0; check < kChecks; ++check) {
    // A budget and a check of it, as two people with other seeds would make them.
    SampleSet all = draw(pool, 384, check);
    SampleSet then = all, now = all;
    then.samples.resize(samples_for(all, true, kFalseAlarms));
    const std::size_t fresh = samples_for(then, false, kFalseAlarms);
    now.samples.erase(now.samples.begin(), now.samples.begin() + static_cast<std::ptrdiff_t>(then.samples.size()));
    now.samples.resize(std::min(fresh, now.samples.size()));
    const ConfigurationFinding f = judge(budget_of(configuration, 1, then), now, 1u << 30, {kFalseAlarms});
    if (f.verdict.status == Status::failed) ++alarms.failed, fmt::print("{}: {}\n", check, f.verdict.message);
    if (f.verdict.status == Status::mistrusted && alarms.mistrusted++ < 3) fmt::print("{}: {}\n", check, f.verdict.message);
  }
  fmt::print("{}: {} false alarms, {} times too few samples, in {} checks\n", line, alarms.failed, alarms.mistrusted, kChecks);
  return alarms;
}

}  // namespace

TEST_CASE("an unchanged kernel passes a thousand checks with fresh seeds", "[nightly][alarms]") {
  for (const char* line : {"xqa/1 heads=16/2 len=4096 kv=e4m3", "xqa/1 heads=8/1 len=512 kv=e4m3 data=heavy"})
    CHECK(run(line).failed <= 1);
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
  const ConfigurationFinding f = judge(read.configurations[0], set, 1, {kFalseAlarms});
  CHECK(f.verdict.status == Status::passed);
  CHECK(f.identical == 16);
  CHECK(f.warnings.empty());
  for (const MetricFinding& m : f.metrics) CHECK(std::fabs(m.change.mean) < 1e-6);
}
