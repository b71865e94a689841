// The adapter itself: its verdict for each kind of RapidCheck result.
#include <rapidcheck/detail/TestListenerAdapter.h>

#include "tests/rapidcheck.hpp"

using namespace xqacheck::tests;

namespace {

const rc::detail::TestMetadata kMetadata{"adapter-self-test", "adapter-self-test"};

rc::detail::TestResult run(const rc::detail::TestMetadata& metadata,
                           const std::unordered_map<std::string, rc::detail::Reproduce>& reproduce) {
  rc::detail::TestListenerAdapter quiet;
  rc::detail::TestParams params;
  params.seed = 1;
  return rc::detail::checkProperty(rc::detail::toProperty([](int a) { RC_ASSERT(a < 5); }), metadata, params, quiet,
                                   reproduce);
}

}  // namespace

TEST_CASE("a failing property shows the counterexample and a reproduce string that fails again", "[case]") {
  const auto first = run(kMetadata, {});
  const std::string text = property_failure(kMetadata, first);
  CHECK_THAT(text, Catch::Contains("property 'adapter-self-test'") && Catch::Contains("Falsifiable"));
  CHECK_THAT(text, Catch::Contains("RC_PARAMS=\"reproduce="));

  // The string is what RC_PARAMS takes: read it back as RapidCheck does and run just that case.
  const std::size_t start = text.find("reproduce=", text.find("RC_PARAMS"));
  const auto config = rc::detail::configFromString(text.substr(start, text.find('"', start) - start));
  REQUIRE(config.reproduce.count("adapter-self-test") == 1);
  rc::detail::FailureResult before, after;
  REQUIRE(first.match(before));
  REQUIRE(run(kMetadata, config.reproduce).match(after));
  CHECK(after.counterExample == before.counterExample);
  CHECK(after.numSuccess == 0);  // no other case ran first
}

TEST_CASE("a reproduce string of another property is a failure, not a silent pass", "[case]") {
  rc::detail::FailureResult failure;
  REQUIRE(run(kMetadata, {}).match(failure));
  const rc::detail::TestMetadata other{"some-other-property", ""};
  const auto result = run(other, {{kMetadata.id, failure.reproduce}});
  rc::detail::SuccessResult success;
  REQUIRE(result.match(success));  // RapidCheck itself calls it a success …
  CHECK(success.numSuccess == 0);
  CHECK_THAT(property_failure(other, result), Catch::Contains("ran no case"));  // … the adapter does not
}

TEST_CASE("giving up is a failure", "[case]") {
  rc::detail::TestListenerAdapter quiet;
  const auto result = rc::detail::checkProperty(rc::detail::toProperty([](int) { RC_PRE(false); }), kMetadata,
                                                rc::detail::TestParams(), quiet, {});
  CHECK_THAT(property_failure(kMetadata, result), Catch::Contains("Gave up"));
}

// Run by reproduce.cmake only.
TEST_CASE("a property that always fails", "[.]") {
  check_property("adapter-always-fails", [](int a) {
    RC_LOG() << "smallest bad number is " << a;
    RC_ASSERT(a < 5);
  });
}
