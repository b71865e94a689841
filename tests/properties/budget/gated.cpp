#include "tests/properties/budget/gated.hpp"

#include <fmt/core.h>

#include "tests/catch.hpp"

namespace xqacheck::tests {

using namespace properties;
using namespace properties::budget;

Gated gated(const std::string& line, std::uint64_t samples, std::uint64_t first_seed) {
  constexpr std::uint64_t kPilot = 32;  // as `measure` takes
  const reference::RunLine run = reference::parse_run_line(line);
  Runners runners = planted_runners(of_recipe(""));
  SampleSet set = take_samples(run, runners, first_seed, samples > 0 ? samples : kPilot);
  if (samples == 0)
    if (const std::uint64_t wanted = samples_to_measure(set, kBudgetFalseAlarms); wanted > kPilot)
      append(set, take_samples(run, runners, first_seed + kPilot, wanted - kPilot));
  REQUIRE(set.status == RunStatus::ok);
  return {run, budget_of(run, first_seed, set)};
}

ConfigurationFinding check(const Gated& gate, const Planted& planted) {
  Runners runners = planted_runners(planted);
  LookOptions options;
  options.false_alarm_rate = kBudgetFalseAlarms;
  const Look look = look_at(gate.budget, runners, options);
  REQUIRE(look.set.status == RunStatus::ok);
  return look.finding;
}

void show(const std::string& what, const ConfigurationFinding& f) {
  fmt::print("{}: {} {}, cosine {:.3f}, {} samples\n", what, name_of(f.verdict.status), f.verdict.message, f.cosine,
             f.samples);
  for (const std::string& note : f.verdict.notes) fmt::print("    {}\n", note);
  std::fflush(stdout);
}

}  // namespace xqacheck::tests
