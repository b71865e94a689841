// A run that is killed goes on where it stopped: no case is lost, judged twice or taken from another run, and no line
// of the results is torn.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "properties/report/json_lines.hpp"
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"
#include "tests/properties/isolation/process_census.hpp"

extern char** environ;

using namespace xqacheck::tests;
using namespace xqacheck::properties;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> verify(const std::string& kernel, const std::string& cases, const std::string& results) {
  return {"verify",       "--kernel", kernel, "--cases", cases,   "--property",
          "golden,guard", "--jobs",   "2",    "--json",  results, "--resume"};
}

// Everything about a run but how long it took.
std::vector<std::string> content_of(const std::string& text) {
  std::vector<std::string> lines;
  const Results results = parse_results(text);
  for (const auto* list : {&results.verdicts, &results.shrunk})
    for (ResultLine line : *list) {
      line.verdict.seconds = 0;
      lines.push_back(json_of(line.verdict, line.kernel, line.case_number));
    }
  lines.push_back(results.exit_code ? "exit " + std::to_string(*results.exit_code) : "no summary");
  return lines;
}

// Starts the tool in `here` and kills it after `microseconds`; returns whether it was still running.
bool run_and_kill(const Workplace& here, const std::vector<std::string>& arguments, useconds_t microseconds) {
  std::string command =
      "cd '" + here.path("") + "' && exec '" + std::string(std::getenv("XQACHECK_BIN")) + "/xqacheck'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  command += " >/dev/null 2>&1 </dev/null";
  char shell[] = "/bin/sh", option[] = "-c";
  char* const words[] = {shell, option, command.data(), nullptr};
  pid_t pid = -1;
  REQUIRE(posix_spawn(&pid, shell, nullptr, nullptr, words, environ) == 0);
  usleep(microseconds);
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) != 0;
}

// Kills `times` runs at moments from before the first case to the last, each going on from the one before.
void kill_and_resume(int times, std::uint32_t most_microseconds) {
  const Workplace here;
  const std::string cases = "120", kernel = plugin("drops_token");
  REQUIRE(here.run(verify(kernel, cases, "whole.jsonl")).exit == 1);
  const auto whole = content_of(here.read("whole.jsonl"));
  std::minstd_rand random(5);
  int interrupted = 0;
  for (int i = 0; i < times; ++i) {
    INFO("kill " << i);
    const ProcessCensus census;
    interrupted += run_and_kill(here, verify(kernel, cases, "r.jsonl"), random() % most_microseconds);
    REQUIRE(census.others(20) == 0);
    if (!std::filesystem::exists(here.path("r.jsonl"))) continue;  // killed before the tool made it
    const std::string text = here.read("r.jsonl");
    if (text.find('\n') == std::string::npos) continue;      // killed before the header was written
    const Results results = parse_results(text);             // every line but the last is whole
    for (const std::string& saved : here.files("failures"))  // whole or absent
      if (saved.find(".tmp-") == std::string::npos)
        REQUIRE_THAT(here.read("failures/" + saved), Contains("\nxqa/1 ") && Catch::Matchers::EndsWith("\n"));
    if (results.exit_code) std::remove(here.path("r.jsonl").c_str());  // done: begin again
  }
  CHECK(interrupted > times / 2);
  const ToolResult last = here.run(verify(kernel, cases, "r.jsonl"));
  INFO(last.both());
  CHECK(last.exit == 1);
  CHECK(content_of(here.read("r.jsonl")) == whole);
}

}  // namespace

TEST_CASE("a run that was cut off anywhere goes on and ends with the same results") {
  const Workplace here;
  REQUIRE(here.run(verify(plugin("drops_token"), "40", "whole.jsonl")).exit == 1);
  const std::string text = here.read("whole.jsonl");
  const auto whole = content_of(text);
  // After nothing, within the header, within a verdict, after one of two verdicts of a case, after a case, within and
  // after the shrunk line, within the summary.
  std::vector<std::size_t> cuts = {0, 10, text.size() / 2};
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) ends.push_back(at + 1);
  for (const std::size_t line : {std::size_t{0}, std::size_t{1}, std::size_t{2}, ends.size() - 3, ends.size() - 2})
    cuts.push_back(ends[line]), cuts.push_back(ends[line] + 5);
  for (const std::size_t cut : cuts) {
    INFO("cut at " << cut << " of " << text.size());
    here.write("r.jsonl", text.substr(0, cut));
    const ToolResult result = here.run(verify(plugin("drops_token"), "40", "r.jsonl"));
    INFO(result.both());
    CHECK(result.exit == 1);
    CHECK(content_of(here.read("r.jsonl")) == whole);
  }
}

TEST_CASE("what was done is not run again, and a finished run has nothing left") {
  const Workplace here;
  REQUIRE(here.run(verify("flash32", "30", "r.jsonl")).exit == 0);
  const std::string text = here.read("r.jsonl");
  const ToolResult again = here.run(verify("flash32", "30", "r.jsonl"));
  CHECK(again.exit == 0);
  CHECK_THAT(again.out, Contains("resumed: 30 of 30 cases of flash32 were done"));
  // Verdicts with their times are those of the first run.
  CHECK(here.read("r.jsonl").substr(0, text.rfind("{\"type\":\"summary\"")) ==
        text.substr(0, text.rfind("{\"type\":\"summary\"")));
}

// A run over two kernels, cut among the cases of either kernel, and within and after the first case of the second; `second_kernel` is a
// piece of text that only verdicts of the second one have.
void cut_and_resume(const Workplace& here, const std::vector<std::string>& run, const std::string& second_kernel) {
  REQUIRE(here.run(run).exit == 1);
  const std::string text = here.read("r.jsonl");
  const auto whole = content_of(text);
  const std::size_t second = text.find(second_kernel, text.find('\n'));
  REQUIRE(second != std::string::npos);
  for (const std::size_t cut : {text.size() / 4, second, text.find('\n', second) + 1, text.size() * 7 / 8}) {
    INFO("cut at " << cut);
    here.write("r.jsonl", text.substr(0, cut));
    const ToolResult result = here.run(run);
    INFO(result.both());
    CHECK(content_of(here.read("r.jsonl")) == whole);
  }
}

TEST_CASE("several kernels are resumed one by one") {
  const Workplace here;
  std::vector<std::string> run = verify(plugin("drops_token"), "20", "r.jsonl");
  run.insert(run.end(), {"--kernel", "flash32"});
  cut_and_resume(here, run, "\"kernel\":\"flash32\",\"property\"");
}

TEST_CASE("two plug-ins whose kernels have one name are resumed apart") {
  const Workplace here;
  std::vector<std::string> run = verify(plugin("drops_token"), "20", "r.jsonl");
  run.insert(run.end(), {"--kernel", plugin("wrong_head")});  // another fault of the same example
  cut_and_resume(here, run, "\"kernel\":\"example-host (" + plugin("wrong_head") + ")\",\"property\"");
  run.insert(run.end(), {"--kernel", plugin("wrong_head")});
  CHECK_THAT(here.run(run).err, Contains("--resume: two kernels are called example-host (" + plugin("wrong_head") + ")"));
}

TEST_CASE("results of another run are refused, and the difference is named") {
  const Workplace here;
  REQUIRE(here.run(verify("flash32", "5", "r.jsonl")).exit == 0);
  const std::string text = here.read("r.jsonl");
  const auto refused = [&](std::vector<std::string> change, const std::string& message) {
    std::vector<std::string> run = verify("flash32", "5", "r.jsonl");
    run.insert(run.end(), change.begin(), change.end());
    const ToolResult result = here.run(run);
    INFO(result.both());
    CHECK(result.exit == 2);
    CHECK_THAT(result.err, Contains(message));
    CHECK(here.read("r.jsonl") == text);  // nothing was touched
  };
  refused({"--seed", "3"}, "seed was 0, now it is 3");
  refused({"--property", "plan"}, "properties was");
  refused({"--case", "xqa/1 len=5"}, "cases was 5, now it is 6");
  here.write("r.jsonl", "not a result\n");
  CHECK(here.run(verify("flash32", "5", "r.jsonl")).exit == 2);
  CHECK(here.run({"verify", "--kernel", "flash32", "--cases", "5", "--resume"}).exit == 2);  // of what?
}

TEST_CASE("another case of the same number is refused") {
  const Workplace here;
  const auto run = [&](const std::string& line) {
    return here.run({"verify", "--kernel", "flash32", "--property", "golden", "--case", line, "--case", "xqa/1 len=7",
                     "--json", "r.jsonl", "--resume"});
  };
  REQUIRE(run("xqa/1 len=5").exit == 0);
  const ToolResult result = run("xqa/1 len=6");
  CHECK(result.exit == 2);
  CHECK_THAT(result.err, Contains("--resume: case 0 of the results is"));
}

TEST_CASE("killed 8 times at random moments, the run completes") {
  kill_and_resume(8, 400'000);
}

TEST_CASE("killed 200 times at random moments, the run completes", "[nightly]") {
  kill_and_resume(200, 400'000);
}
