// Limits by rule, limits that a person fixed, and the printed difference.
#include "properties/budget/budget.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using namespace xqacheck::properties::budget;

namespace {

SampleSet samples(double rel_l2) {
  SampleSet set;
  for (int s = 0; s < 8; ++s) {
    Sample sample;
    sample.measured.values[Metric::rel_l2] = rel_l2 * (1 + 0.001 * (s % 2));
    sample.measured.values[Metric::output_gain] = 0.001;
    set.samples.push_back(sample);
  }
  return set;
}

Budget budget(double rel_l2, const ConfigurationBudget* before = nullptr) {
  Budget b;
  b.provenance.kernel = "mine";
  b.configurations.push_back(budget_of(reference::parse_run_line("xqa/1 len=65"), 1, samples(rel_l2), before));
  return b;
}

}  // namespace

TEST_CASE("limits follow the rule unless they are fixed") {
  Budget old = budget(0.02);
  MetricBudget& m = *old.configurations[0].metrics[static_cast<std::size_t>(Metric::rel_l2)];
  CHECK(m.limit == Approx(1.1 * m.measured.high));
  m.limit = 0.03, m.fixed = true;
  const Budget after = budget(0.025, &old.configurations[0]);
  const MetricBudget& n = *after.configurations[0].metrics[static_cast<std::size_t>(Metric::rel_l2)];
  CHECK(n.limit == 0.03);
  CHECK(n.fixed);
  const std::vector<std::string> lines = difference(old, after);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "  xqa/1 len=65");
  CHECK(lines[1] == "    rel_l2: 0.02001 -> 0.02501, limit 0.03 -> 0.03 (fixed)");
}

TEST_CASE("configurations that come and go are named") {
  Budget one = budget(0.02), two = one;
  two.configurations[0].run = reference::parse_run_line("xqa/1 len=128");
  const std::vector<std::string> lines = difference(one, two);
  CHECK(lines == std::vector<std::string>{"+ xqa/1 len=128", "- xqa/1 len=65"});
}
