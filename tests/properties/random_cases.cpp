// Laws of the tool itself over its own random cases.
#include "properties/property.hpp"
#include "tests/properties/case_generator.hpp"
#include "tests/properties/fake_runner.hpp"
#include "tests/rapidcheck.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using xqacheck::reference::Case;

namespace {

// Small, as every case is judged by every property.
constexpr SizeLimits kSmall{.products = 100'000, .elements = 20'000};

}  // namespace

TEST_CASE("no property fails a kernel that rounds the golden result") {
  check_property(
      "laws-accept-a-correct-kernel",
      [] {
        const Case c = *drawn_case(full_profile(), kSmall);
        FakeRunner runner;
        xqacheck::reference::RunLine run;
        run.subject = c;
        Trial trial(run, runner);
        for (const Property* property : all_properties()) {
          const Verdict verdict = judge_property(*property, trial);
          if (is_failure(verdict.status)) RC_FAIL(verdict.run_line + ": " + verdict.message);
        }
      },
      150);
}

TEST_CASE("a counterexample of RapidCheck shrinks to the smallest case line") {
  const auto result = rc::detail::checkTestable([] {
    const Case c = *drawn_case(full_profile());
    for (const std::uint32_t length : c.lens) RC_ASSERT(length <= 64);
  });
  rc::detail::FailureResult failure;
  REQUIRE(result.match(failure));
  REQUIRE_FALSE(failure.counterExample.empty());
  CHECK_THAT(failure.counterExample.front().second,
             Catch::Matchers::Contains("xqa/1 heads=1/1 dim=16 len=65 page=0 tail=zero data=ints"));
}
