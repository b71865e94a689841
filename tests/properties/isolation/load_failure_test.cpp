// Plug-ins whose loading runs wild: the harness gets a sentence, not a crash, and nothing is left.
#include <cstdlib>
#include <regex>
#include <string>

#include "kernels/plugin.hpp"
#include "properties/errors.hpp"
#include "properties/isolation/process_runner.hpp"
#include "tests/catch.hpp"
#include "tests/properties/isolation/process_census.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;

namespace {

const std::string kPlugins = XQACHECK_TEST_PLUGINS "/";

std::string refusal(const std::string& plugin, double timeout_seconds = 60) {
  try {
    ProcessOptions options;
    options.load_timeout_seconds = timeout_seconds;
    ProcessRunner runner(plugin, options);
  } catch (const kernels::LoadError& error) {
    return std::regex_replace(error.what(), std::regex("\\+0x[0-9a-f]+"), "+0x");
  }
  return "accepted";
}

}  // namespace

TEST_CASE("crashes and hangs while loading are told with the step") {
  const tests::ProcessCensus census;
  const int descriptors = tests::open_descriptors();
  const auto at = [](const char* name) { return kPlugins + name + ".so"; };
  CHECK(refusal(at("crash_in_constructor")) ==
        at("crash_in_constructor") + ": crashed: SIGSEGV in loading the plug-in: read at address 0x0 (a null pointer)");
  CHECK(refusal(at("exit_in_constructor")) ==
        at("exit_in_constructor") + ": crashed: the kernel called exit(0) in loading the plug-in");
  CHECK(refusal(at("sleep_in_constructor"), 0.5) ==
        at("sleep_in_constructor") + ": hung: no answer within 0.5 s, in loading the plug-in");
  CHECK_THAT(refusal(at("throw_in_constructor")), Catch::Contains("no licence"));
  CHECK(refusal(at("crash_in_get_kernel")) ==
        at("crash_in_get_kernel") + ": crashed: SIGABRT in xqacheck_get_kernel()");
  CHECK(refusal(at("crash_in_describe")) == at("crash_in_describe") + ": crashed: SIGABRT in describe()");
  CHECK(census.others(20) == 0);
  CHECK(tests::open_descriptors() == descriptors);
}

TEST_CASE("refusals of the loader cross the process boundary word for word") {
  CHECK(refusal(kPlugins + "null_run.so") ==
        kPlugins + "null_run.so: kernel 0: the kernel table leaves `run` NULL; every function must be there");
  CHECK(refusal(kPlugins + "good.so:fast") == kPlugins + "good.so: holds no kernel \"fast\"; it has: copy, thorough");
  CHECK_THROWS_WITH(list_kernels(kPlugins + "none.so"),
                    Catch::EndsWith("give the path of the plug-in's shared object"));
}

TEST_CASE("built-in kernels are listed and run like any other") {
  const auto listed = list_kernels("");
  REQUIRE_FALSE(listed.empty());
  CHECK(listed[0].name() == "flash32");
  ProcessRunner runner("flash32");
  CHECK(std::string(runner.description().name) == "flash32");
}

TEST_CASE("a worker program that is not ours is a fault of the environment") {
  setenv("XQACHECK_WORKER", "/bin/false", 1);
  CHECK_THROWS_AS(ProcessRunner("flash32"), EnvironmentError);
  CHECK_THROWS_WITH(ProcessRunner("flash32"), Catch::StartsWith("the worker program ended at once"));
  unsetenv("XQACHECK_WORKER");
}
