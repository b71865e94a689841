#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

TEST_CASE("0: a correct kernel passes, and says what ran") {
  const Workplace here;
  const ToolResult result =
      here.run({"verify", "--kernel", "flash32", "--cases", "20", "--json", "r.jsonl", "--junit", "r.xml"});
  INFO(result.both());
  CHECK(result.exit == 0);
  CHECK_THAT(result.out, Contains("20 of 20 cases ran"));
  CHECK_THAT(result.out, Contains(": passed\n"));
  CHECK_THAT(result.err, Contains("20/20 cases"));  // plain progress, as stderr is no terminal
  CHECK_THAT(here.read("r.jsonl"), Contains("\"exit_code\":0"));
  CHECK_THAT(here.read("r.xml"), Contains("failures=\"0\""));
  CHECK(here.files("failures").empty());
}

TEST_CASE("1: a failure") {
  const Workplace here;
  const ToolResult result = here.run(
      {"verify", "--kernel", plugin("drops_token"), "--case", "xqa/1 len=65", "--property", "golden", "--no-shrink"});
  INFO(result.both());
  CHECK(result.exit == 1);
  CHECK_THAT(result.out, Contains("FAILED golden"));
}

TEST_CASE("3: results that cannot be written stop the run before it starts") {
  const Workplace here;
  for (const char* option : {"--json", "--junit"}) {
    const ToolResult result = here.run({"verify", "--kernel", "flash32", "--cases", "3", option, "/proc/no/such/file"});
    CHECK(result.exit == 3);
    CHECK_THAT(result.err, Contains("/proc/no/such/file"));
    CHECK_THAT(result.out, !Contains("cases ran"));
  }
}

TEST_CASE("4: a run in which every case was UNSUPPORTED") {
  const Workplace here;
  const ToolResult result = here.run(
      {"verify", "--kernel", plugin("example"), "--case", "xqa/1 len=5 kv=e4m3", "--case", "xqa/1 len=5 q=fp16"});
  INFO(result.both());
  CHECK(result.exit == 4);
  CHECK_THAT(result.out, Contains("only 0 of 2 cases ran, fewer than --min-executed 50 %"));
  CHECK_THAT(result.out, Contains("dtype: bf16 only"));
}

TEST_CASE("4: too many verdicts could not be trusted") {
  const Workplace here;
  // Sinks of 10000 take all the weight: what is left for V is zero in any output format.
  std::vector<std::string> arguments = {"verify", "--kernel", "flash32", "--property", "golden"};
  for (int seed = 0; seed < 8; ++seed) {
    arguments.push_back("--case");
    arguments.push_back("xqa/1 heads=1/1 dim=16 len=64 page=8 sinks=10000 seed=" + std::to_string(seed));
  }
  const ToolResult result = here.run(arguments);
  INFO(result.both());
  CHECK(result.exit == 4);
  CHECK_THAT(result.out, Contains("MISTRUSTED, more than --max-mistrusted 5 %"));
  arguments.insert(arguments.end(), {"--max-mistrusted", "100"});
  CHECK(here.run(arguments).exit == 0);
}

TEST_CASE("--min-executed sets the share of cases that must run") {
  const Workplace here;
  const std::vector<std::string> mixed = {"verify",
                                          "--kernel",
                                          plugin("example"),
                                          "--property",
                                          "golden",
                                          "--case",
                                          "xqa/1 len=33",
                                          "--case",
                                          "xqa/1 len=34",
                                          "--case",
                                          "xqa/1 len=35",
                                          "--case",
                                          "xqa/1 len=5 kv=e4m3"};
  CHECK(here.run(mixed).exit == 0);
  std::vector<std::string> strict = mixed;
  strict.insert(strict.end(), {"--min-executed", "80"});
  const ToolResult result = here.run(strict);
  CHECK(result.exit == 4);
  CHECK_THAT(result.out, Contains("only 3 of 4 cases ran, fewer than --min-executed 80 %"));
}

TEST_CASE("precedence: usage before environment before failure before too little") {
  const Workplace here;
  const std::vector<std::string> failing = {"verify",       "--kernel",    plugin("drops_token"), "--case",
                                            "xqa/1 len=65", "--no-shrink", "--property",          "golden"};
  std::vector<std::string> a = failing;
  a.insert(a.end(), {"--json", "/proc/no/x", "--shard", "9/2"});
  CHECK(here.run(a).exit == 2);
  a = failing;
  a.insert(a.end(), {"--json", "/proc/no/x"});
  CHECK(here.run(a).exit == 3);
  a = failing;
  a.insert(a.end(),
           {"--case", "xqa/1 len=5 kv=e4m3", "--case", "xqa/1 len=6 kv=e4m3", "--case", "xqa/1 len=7 kv=e4m3"});
  CHECK(here.run(a).exit == 1);
}

TEST_CASE("repro exits with the verdict it gives") {
  const Workplace here;
  CHECK(here.run({"repro", "xqa/1 len=33 @ kernel=flash32 prop=golden"}).exit == 0);
  CHECK(here.run({"repro", "xqa/1 len=65 @ kernel=" + plugin("drops_token") + " prop=golden"}).exit == 1);
  CHECK(here.run({"repro", "xqa/1 len=33 kv=e4m3 @ kernel=" + plugin("example") + " prop=golden"}).exit == 4);
  CHECK(here.run({"repro", "xqa/1 len=33 @ kernel=none-such prop=golden"}).exit == 2);
}
