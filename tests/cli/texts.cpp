#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

TEST_CASE("--help of every command has examples and leaves with 0") {
  const Workplace here;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"verify", "--help"}, {"repro", "--help"}, {"diff", "--help"}}) {
    const ToolResult result = here.run(arguments);
    CHECK(result.exit == 0);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, Contains("Examples:\n"));
    CHECK_THAT(result.out, Contains("  xqacheck "));
  }
  CHECK(here.run({"list", "--help"}).exit == 0);
}

TEST_CASE("--version is the version of the project") {
  const Workplace here;
  const ToolResult result = here.run({"--version"});
  CHECK(result.exit == 0);
  CHECK_THAT(result.out, Contains("0.1.0"));
}

TEST_CASE("list names everything that can be chosen, with a sentence each") {
  const Workplace here;
  const std::pair<const char*, std::vector<const char*>> all[] = {
      {"kernels", {"flash32"}},
      {"properties",
       {"golden", "bits", "rerun", "poison", "relabel", "company", "guard", "workspace", "plan", "edges", "certificate",
        "twin", "laws", "reject", "route", "producer",
        "graph"}},
      {"data", {"normal", "onehot", "ints", "neginf"}},
      {"tables", {"identity", "shuffled", "far"}}};
  for (const auto& [what, names] : all) {
    const ToolResult result = here.run({"list", what});
    CHECK(result.exit == 0);
    for (const char* name : names) CHECK_THAT("\n" + result.out, Contains("\n" + std::string(name) + " "));
  }
  const ToolResult ours = here.run({"list", "kernels", plugin("example")});
  CHECK(ours.exit == 0);
  CHECK_THAT(ours.out, Contains("example-host"));
}
