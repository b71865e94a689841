#include "properties/report/json_lines.hpp"
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using namespace xqacheck::properties;

namespace {

struct Unruly {
  const char* plugin;
  const char* kernel;
  Status status;
  const char* message;  // a part of it
};

}  // namespace

TEST_CASE("each way to misbehave has its status, the next case runs, and the run exits with 1") {
  const Unruly all[] = {
      {"crashing", "segfault", Status::crashed, "SIGSEGV"},
      {"crashing", "abort", Status::crashed, "SIGABRT"},
      {"crashing", "exit", Status::crashed, "exit"},
      {"crashing", "loop", Status::hung, "1"},
      {"crashing", "stack-overflow", Status::crashed, "stack overflow"},
      {"crashing", "stop-itself", Status::hung, "SIGSTOP"},
      {"crashing", "bad-alloc", Status::crashed, "out of memory"},
      {"unruly", "fork-sleeper", Status::crashed, "left 1 process running"},
      {"unruly", "fork-bomb", Status::hung, "no answer"},
      {"unruly", "return-early", Status::crashed, "after run() had returned"},
      {"unruly", "write-everywhere", Status::crashed, "file descriptor"},
      {"unruly", "close-everything", Status::crashed, "file descriptors"},
      {"unruly", "kill-parent", Status::crashed, ""},
      // It only copies q: what it prints must not hide that.
      {"unruly", "print-garbage", Status::failed, "elements"},
      {"touching", "write-before-out", Status::failed, "before out"},
      {"unruly", "leave-state", Status::failed, "state"},
  };
  for (const Unruly& each : all) {
    INFO(each.kernel);
    const Workplace here;
    const ToolResult result = here.run({"verify", "--kernel", plugin(each.plugin) + ":" + each.kernel, "--case",
                                        "xqa/1 heads=1/1 dim=16 len=5", "--case", "xqa/1 heads=1/1 dim=16 len=6",
                                        "--timeout", "1", "--no-shrink", "--property", "golden", "--json", "r.jsonl"});
    INFO(result.both());
    CHECK(result.exit == 1);
    const Results results = parse_results(here.read("r.jsonl"));
    REQUIRE(results.verdicts.size() == 2);
    for (const ResultLine& line : results.verdicts) {
      CHECK(line.verdict.status == each.status);
      CHECK_THAT(line.verdict.message, Catch::Matchers::Contains(each.message));
    }
  }
}

TEST_CASE("a crash is shrunk and replayed as the same crash") {
  const Workplace here;
  const ToolResult result =
      here.run({"verify", "--kernel", plugin("crashing") + ":segfault", "--cases", "3", "--property", "golden"});
  INFO(result.both());
  CHECK(result.exit == 1);
  const auto saved = here.files("failures");
  REQUIRE(saved.size() == 1);
  CHECK_THAT(here.read("failures/" + saved.front()), Catch::Matchers::Contains("\nxqa/1 heads=1/1 dim=16 len=0 "));
  const ToolResult again = here.run({"repro", "failures/" + saved.front()});
  CHECK(again.exit == 1);
  CHECK_THAT(again.out, Catch::Matchers::Contains("reproduced: CRASHED"));
}
