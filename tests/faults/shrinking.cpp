// Shrinking on real kernels: a planted fault's first failing case is shrunk to a local minimum (every single step from
// it is tried here again), within a minute on two workers, and to the same case on one, two and four.
#include <chrono>
#include <cstdio>
#include <memory>

#include "properties/generate.hpp"
#include "properties/isolation/process_runner.hpp"
#include "properties/reductions.hpp"
#include "properties/shrink_failure.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/faults/hunt.hpp"

using namespace xqacheck::tests;
using namespace xqacheck::properties;
using xqacheck::reference::print_case;

namespace {

constexpr double kMostSeconds = 60;

Runners runners_of(const FaultFile& fault, int count) {
  Runners runners;
  for (int i = 0; i < count; ++i) runners.push_back(std::make_unique<ProcessRunner>(planted_kernel(fault.name)));
  return runners;
}

// Steps from the smallest case that still fail alike: none at a local minimum.
std::vector<std::string> steps_that_fail(const FaultFile& fault, const Property& property, const Verdict& smallest,
                                         const TrialOptions& options) {
  std::vector<std::string> failing;
  ProcessRunner runner(planted_kernel(fault.name));
  for (const Reduction& step : reductions(smallest.subject)) {
    xqacheck::reference::RunLine line;
    line.subject = step.simpler;
    const Verdict verdict = judge_case(line, {&property}, runner, options).verdicts.front();
    if (verdict.status == smallest.status && verdict.kind == smallest.kind)
      failing.push_back(std::string(step.rule) + ": " + print_case(step.simpler));
  }
  return failing;
}

void shrink_one(const FaultFile& fault) {
  const Hunt hunted = hunt(fault, fault.killed_by.front());
  REQUIRE(hunted.found);
  const Property& property = *property_named(fault.killed_by.front());
  TrialOptions options;
  options.timeout_seconds = fault.timeout_seconds;
  xqacheck::reference::RunLine line;
  line.subject = hunted.verdict.subject;
  std::string first;
  for (const int workers : {2, 1, 4}) {
    Runners runners = runners_of(fault, workers);
    const auto start = std::chrono::steady_clock::now();
    const ShrunkFailure shrunk = shrink_failure(property, hunted.verdict, line, runners, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    INFO(workers << " workers");
    CHECK(shrunk.how.local_minimum);
    CHECK(shrunk.verdict.status == hunted.verdict.status);
    CHECK(shrunk.verdict.kind == hunted.verdict.kind);
    const std::string smallest = print_case(shrunk.verdict.subject);
    if (first.empty()) {
      CHECK(seconds <= kMostSeconds);
      first = smallest;
      std::printf("| %s | %s | %u | %u | %.1f | `%s` |\n", fault.name.c_str(), property.id, shrunk.how.tried,
                  shrunk.how.accepted, seconds, smallest.c_str());
      std::fflush(stdout);
      const std::vector<std::string> failing = steps_that_fail(fault, property, shrunk.verdict, options);
      INFO((failing.empty() ? "" : failing.front()));
      CHECK(failing.empty());
    }
    CHECK(smallest == first);
  }
}

// Every `parts`-th fault whose failures repeat, so that a nightly entry stays within minutes.
void shrink_part(std::size_t part, std::size_t parts) {
  std::size_t number = 0;
  for (const FaultFile& fault : all_faults()) {
    if (!fault.repeats || property_named(fault.killed_by.front()) == nullptr) continue;
    if (number++ % parts != part) continue;
    DYNAMIC_SECTION(fault.name) {
      shrink_one(fault);
    }
  }
}

}  // namespace

TEST_CASE("more than 30 planted faults can be shrunk") {
  std::size_t count = 0;
  for (const FaultFile& fault : all_faults()) count += fault.repeats;
  CHECK(count >= 30);
}

TEST_CASE("planted faults are shrunk to local minima, part 1", "[nightly][shrink1]") {
  shrink_part(0, 3);
}

TEST_CASE("planted faults are shrunk to local minima, part 2", "[nightly][shrink2]") {
  shrink_part(1, 3);
}

TEST_CASE("planted faults are shrunk to local minima, part 3", "[nightly][shrink3]") {
  shrink_part(2, 3);
}
