// Known failures and short runs, as a person meets them.
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

const char* const kEntry =
    R"({"ledger": 1, "entries": [{"case": "len=65", "kernel": "example-host", "property": "golden",
  "reason": "drops the last token", "link": "#1"}]})";

}  // namespace

TEST_CASE("--ledger: a known failure fails no run, any other does") {
  const Workplace here;
  here.write("known.json", kEntry);
  const ToolResult known = here.run({"verify", "--kernel", plugin("drops_token"), "--case", "xqa/1 len=65",
                                     "--property", "golden", "--ledger", "known.json", "--json", "r.jsonl"});
  CHECK(known.exit == 0);
  CHECK_THAT(known.out, Contains("KNOWN"));
  CHECK_THAT(here.read("r.jsonl"), Contains("known, was FAILED: drops the last token (#1)"));
  CHECK_FALSE(std::filesystem::exists(here.path("failures")));
  const ToolResult other = here.run({"verify", "--kernel", plugin("drops_token"), "--case", "xqa/1 len=66",
                                     "--property", "golden", "--ledger", "known.json", "--no-shrink"});
  CHECK(other.exit == 1);
}

TEST_CASE("--ledger: a known failure that passes is loud") {
  const Workplace here;
  std::filesystem::create_directory(here.path("ledger"));
  here.write("ledger/a.json", kEntry);
  const ToolResult result = here.run({"verify", "--kernel", plugin("example"), "--case", "xqa/1 len=65", "--property",
                                      "golden", "--ledger", "ledger"});
  CHECK(result.exit == 1);
  CHECK_THAT(result.out, Contains("KNOWN FAILURE PASSES: drops the last token (example-host, golden): 1 of 1 judged"));
  CHECK_THAT(result.out, Contains("take it out of the ledger: ") && Contains("a.json, entry 1"));
}

TEST_CASE("repro --ledger: a known failure is known, and loud when it passes") {
  const Workplace here;
  here.write("known.json", kEntry);
  const std::string line = "xqa/1 len=65 @ prop=golden";
  const ToolResult known = here.run({"repro", line, "--kernel", plugin("drops_token"), "--ledger", "known.json"});
  CHECK(known.exit == 0);
  CHECK_THAT(known.out, Contains("KNOWN golden") && Contains("drops the last token"));
  CHECK(here.run({"repro", line, "--kernel", plugin("drops_token")}).exit == 1);
  const ToolResult mended = here.run({"repro", line, "--kernel", plugin("example"), "--ledger", "known.json"});
  CHECK(mended.exit == 1);
  CHECK_THAT(mended.out, Contains("KNOWN FAILURE PASSES: drops the last token"));
}

TEST_CASE("--ledger: malformed files exit with 2 before anything runs") {
  const Workplace here;
  here.write("bad.json", R"({"ledger": 1, "entries": [{"kernel": "k"}]})");
  const ToolResult result = here.run({"verify", "--cases", "1", "--ledger", "bad.json"});
  CHECK(result.exit == 2);
  CHECK_THAT(result.err, Contains("bad.json, entry 1: \"property\" is missing"));
}

TEST_CASE("--budget-seconds: says what it did not get to") {
  const Workplace here;
  const ToolResult result = here.run({"verify", "--kernel", "flash32", "--cases", "100000", "--budget-seconds", "1"});
  CHECK(result.exit != 1);
  CHECK_THAT(result.out, Contains("flash32: time was up after 1 s; judged golden ") && Contains(" of 100000 cases"));
  const ToolResult all = here.run({"verify", "--kernel", "flash32", "--case", "xqa/1 len=5", "--property",
                                   "golden,rerun", "--budget-seconds", "600"});
  CHECK(all.exit == 0);
  CHECK_THAT(all.out, Contains("flash32: everything was judged within 600 s"));
  const ToolResult none = here.run({"verify", "--budget-seconds", "-1"});
  CHECK(none.exit == 2);
  CHECK_THAT(none.err, Contains("--budget-seconds -1: needs seconds above 0"));
}
