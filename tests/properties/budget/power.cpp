// What the gate sees at 4096 tokens with e4m3 K, V and P, with the sample that it chooses itself: the faults that the
// norms of an FP8 kernel hide, and the changes that are no faults.
#include <fmt/core.h>

#include "properties/budget/check.hpp"
#include "tests/catch.hpp"
#include "tests/properties/budget/planted.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using namespace xqacheck::properties::budget;
using namespace xqacheck::tests;

namespace {

constexpr double kFalseAlarms = 1e-4;

struct Gated {
  reference::RunLine run;
  ConfigurationBudget budget;
};

// The budget of the right kernel, as `xqacheck budget measure` makes it.
Gated gated(const std::string& line) {
  const reference::RunLine run = reference::parse_run_line(line);
  Runners runners = planted_runners(of_recipe(""));
  SampleSet set = take_samples(run, runners, 1, 16);
  const std::size_t count = samples_for(set, true, kFalseAlarms);
  if (count > set.samples.size()) set = take_samples(run, runners, 1, count);
  return {run, budget_of(run, 1, set)};
}

ConfigurationFinding check(const Gated& gate, const Planted& planted) {
  Runners runners = planted_runners(planted);
  const SampleSet set = take_samples(gate.run, runners, 1, gate.budget.samples.size());
  return judge(gate.budget, set, 1, {kFalseAlarms});
}

void show(const char* what, const ConfigurationFinding& f) {
  fmt::print("{}: {} {}, cosine {:.3f}, {} samples\n", what, name_of(f.verdict.status), f.verdict.message, f.cosine, f.samples);
  for (const std::string& note : f.verdict.notes) fmt::print("    {}\n", note);
}

void judge_all(const std::string& line, bool all) {
  const Gated own = gated(line);
  const auto fails = [&](const char* what, const Planted& planted) {
    const ConfigurationFinding f = check(own, planted);
    show(what, f);
    CHECK(f.verdict.status == Status::failed);
  };
  fails("softmax scale + 1 %", with_score_scale(1.01f));
  fails("output scale - 1 %", with_output_scale(0.99f));
  fails("token 1234 dropped", without_token(1234));
  fails("merge in 16 bit", with_merge_in_16_bit());
  if (all) {
    fails("softmax scale - 1 %", with_score_scale(0.99f));
    fails("output scale + 1 %", with_output_scale(1.01f));
    fails("first token dropped", without_token(0));
    fails("last token dropped", without_token(4095));
  }
  const ConfigurationFinding same = check(own, of_recipe(""));
  show("unchanged", same);
  CHECK(same.verdict.status == Status::passed);
  CHECK(same.identical == own.budget.samples.size());
  CHECK(same.warnings.empty());
  for (const char* parameters : {"p_scale=256 p_unscale=256", "e4m3_rule=32/14/14"}) {
    const ConfigurationFinding f = check(own, of_recipe(parameters));
    show(parameters, f);
    CHECK(f.verdict.status == Status::passed);
    CHECK(f.profile_changed);
  }
}

}  // namespace

TEST_CASE("faults at 4096 tokens, the kernel's own plan, one request") { judge_all("xqa/1 heads=16/2 len=4096 kv=e4m3", false); }

TEST_CASE("faults at 4096 tokens, the kernel's own plan", "[nightly][power]") {
  judge_all("xqa/1 heads=16/2 len=4096x2 kv=e4m3", true);
}

// With one split an accumulator takes 128 steps in a row: its width matters. With 25 splits it takes five, and nothing
// that is tolerated is exceeded.
TEST_CASE("accumulator width at 4096 tokens, one split") {
  const Gated one = gated("xqa/1 heads=16/2 len=4096 kv=e4m3 @ plan=1");
  const ConfigurationFinding narrower = check(one, of_recipe("e4m3_rule=32/12/12"));
  show("one bit narrower", narrower);
  CHECK(narrower.verdict.status == Status::failed);
  const ConfigurationFinding wider = check(one, of_recipe("e4m3_rule=32/14/14"));
  show("one bit wider", wider);
  CHECK(wider.verdict.status == Status::passed);
  CHECK(wider.profile_changed);
}
