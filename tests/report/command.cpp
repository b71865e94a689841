// `xqacheck report` as a person types it.
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"
#include "tests/report/samples.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

TEST_CASE("report writes one page and says where") {
  const Workplace here;
  here.write("a.jsonl", sample_results());
  here.write("perf.json", sample_perf());
  const ToolResult result = here.run({"report", "a.jsonl", "perf.json", "-o", "deep/page.html"});
  CHECK(result.exit == 0);
  CHECK(result.err.empty());
  CHECK(result.out == "report: deep/page.html\n");
  CHECK(here.files("deep") == std::vector<std::string>{"page.html"});  // no temporary file is left
  CHECK(here.read("deep/page.html").rfind("<!doctype html>\n", 0) == 0);
}

TEST_CASE("a file that is no result leaves the old page as it is") {
  const Workplace here;
  here.write("a.jsonl", sample_results());
  here.write("bad.jsonl", sample_results() + "noise\n");
  here.write("page.html", "the old page");
  const ToolResult result = here.run({"report", "a.jsonl", "bad.jsonl", "-o", "page.html"});
  CHECK(result.exit == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Contains("xqacheck: bad.jsonl, line 11: no JSON"));
  CHECK(here.read("page.html") == "the old page");
  CHECK(here.files(".") == std::vector<std::string>{".err", ".out", "a.jsonl", "bad.jsonl", "page.html"});
}

TEST_CASE("a killed run is reported, with a word of warning") {
  const Workplace here;
  here.write("a.jsonl", sample_results().substr(0, 900));
  const ToolResult result = here.run({"report", "a.jsonl"});
  CHECK(result.exit == 0);
  CHECK_THAT(result.err, Contains("a.jsonl, line 2: cut off and left out: the run was killed"));
  CHECK(here.files(".") == std::vector<std::string>{".err", ".out", "a.jsonl", "report.html"});
}

TEST_CASE("requests that make no sense") {
  const Workplace here;
  here.write("a.jsonl", sample_results());
  CHECK(here.run({"report"}).exit == 2);
  const ToolResult missing = here.run({"report", "none.jsonl"});
  CHECK(missing.exit == 3);
  CHECK_THAT(missing.err, Contains("cannot read none.jsonl"));
  const ToolResult onto_itself = here.run({"report", "a.jsonl", "-o", "a.jsonl"});
  CHECK(onto_itself.exit == 2);
  CHECK_THAT(onto_itself.err, Contains("-o a.jsonl: is one of the result files"));
  CHECK(here.read("a.jsonl") == sample_results());
  const ToolResult nowhere = here.run({"report", "a.jsonl", "-o", "/proc/no/page.html"});
  CHECK(nowhere.exit == 3);
  CHECK_THAT(here.run({"report", "--help"}).out, Contains("Examples:\n"));
}
