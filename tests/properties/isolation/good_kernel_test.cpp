// Kernels that behave: right output in every placement, no damage, one worker for all.
#include <chrono>
#include <cstdio>
#include <string>

#include "properties/isolation/process_runner.hpp"
#include "tests/catch.hpp"
#include "tests/properties/isolation/hand_problem.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;

namespace {

const std::string kGood = XQACHECK_TEST_PLUGINS "/good.so";

}  // namespace

TEST_CASE("a kernel's description crosses the process boundary") {
  ProcessRunner runner(kGood + ":copy");
  const xqacheck_description& d = runner.description();
  CHECK(std::string(d.name) == "copy");
  CHECK(std::string(d.version) == "test");
  REQUIRE(d.recipe != nullptr);
  CHECK(std::string(d.recipe->family) == "copy");
  CHECK(std::string(d.recipe->parameters) == "width=2");
  CHECK(d.deterministic == 1);
}

TEST_CASE("all kernels of a plug-in are listed") {
  const auto kernels = list_kernels(kGood);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name() == "copy");
  CHECK(kernels[1].name() == "thorough");
}

TEST_CASE("a good kernel gives the right output in every placement, with every fill") {
  ProcessRunner runner(kGood + ":thorough");
  for (const Placement place : {Placement::plain, Placement::end, Placement::begin})
    for (const Fill fill : {Fill::zero, Fill::nan, Fill::huge, Fill::random})
      for (const std::int64_t gap : {0, 3}) {
        RunOptions options;
        options.place = place;
        options.scratch = options.output = fill;
        options.runs = 2;
        options.plan = 3;
        const reference::Problem problem = tests::hand_problem({.out_gap = gap});
        const Outcome outcome = runner.run(problem, options);
        INFO("place " << int(place) << " fill " << int(fill) << " gap " << gap << ": " << outcome.why);
        REQUIRE(outcome.status == RunStatus::ok);
        CHECK(outcome.why.empty());
        CHECK(outcome.damage.empty());
        CHECK(outcome.state_left_zero);
        CHECK(outcome.out == tests::expected_copy(problem, outcome.out));
        REQUIRE(outcome.lse.size() == 4 * 6);
        CHECK(reinterpret_cast<const float*>(outcome.lse.data())[5] == 5.0f);
        CHECK(outcome.route.kernel == "thorough");
        CHECK(outcome.route.device == "host");
        CHECK(outcome.route.splits == 3);
      }
  CHECK(runner.workers_started() == 1);
}

TEST_CASE("one worker runs small cases fast", "[.][benchmark]") {
  ProcessRunner runner(kGood + ":copy");
  const reference::Problem problem = tests::hand_problem({.rows = 4, .q_heads = 8, .dim = 64, .tokens = 64});
  for (const Placement place : {Placement::plain, Placement::end}) {
    RunOptions options;
    options.place = place;
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kCases = 3000;
    for (int i = 0; i < kCases; ++i) REQUIRE(runner.run(problem, options).status == RunStatus::ok);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("placement %d: %.0f cases/s\n", int(place), kCases / seconds);
  }
}
