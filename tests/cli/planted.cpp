#include "properties/report/json_lines.hpp"
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

std::string after(const std::string& text, const std::string& label) {
  const std::size_t at = text.rfind(label);
  if (at == std::string::npos) return "(no '" + label + "')";
  const std::size_t begin = at + label.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string last_line(const std::string& text) {
  return text.substr(text.rfind('\n', text.size() - 2) + 1);
}

}  // namespace

TEST_CASE("a planted fault is found, shrunk to its smallest case, saved and replayed") {
  const Workplace here;
  // By the bound alone: what only the filters see is another kind of failure, with a smallest case of its own.
  const ToolResult found = here.run({"verify", "--kernel", plugin("drops_token"), "--cases", "60", "--property",
                                     "golden", "--no-filters", "--save-corpus", "found.txt"});
  INFO(found.both());
  REQUIRE(found.exit == 1);
  CHECK_THAT(found.out, Contains("no single step makes it smaller still"));
  const auto saved = here.files("failures");
  REQUIRE(saved.size() == 1);
  const std::string file = "failures/" + saved.front();
  // The fault needs 65 tokens of a paged cache, and integers show it: everything else is at its minimum.
  const std::string smallest = last_line(here.read(file));
  CHECK_THAT(smallest, Catch::Matchers::StartsWith(
                           "xqa/1 heads=1/1 dim=16 len=65 page=8 table=identity spare=1 tail=zero data="));
  CHECK_THAT(here.read("found.txt"), Contains(smallest));

  const ToolResult once = here.run({"repro", file});
  INFO(once.both());
  CHECK(once.exit == 1);
  CHECK_THAT(once.out, Contains("reproduced: FAILED value, as saved"));
  CHECK_THAT(once.out, Contains("output bytes: the same as saved"));
  const ToolResult threads = here.run({"repro", file, "--threads", "4"});
  CHECK(threads.exit == 1);
  CHECK(threads.out == once.out);  // verdict, evidence and bytes
  const ToolResult line = here.run({"repro", smallest.substr(0, smallest.size() - 1)});
  CHECK(line.exit == 1);
  CHECK(after(line.out, "output xxh64: ") == after(once.out, "output xxh64: "));

  const ToolResult fixed = here.run({"repro", file, "--kernel", plugin("example")});
  CHECK(fixed.exit == 0);
  CHECK_THAT(fixed.out, Contains("not reproduced: saved FAILED value, now PASSED"));
  CHECK(here.run({"verify", "--kernel", plugin("example"), "--corpus", "found.txt"}).exit == 0);
  CHECK(here.run({"verify", "--kernel", plugin("drops_token"), "--corpus", "found.txt", "--no-shrink"}).exit == 1);
}

TEST_CASE("a fault that only the filters see is saved and replayed as its own kind") {
  const Workplace here;
  // Longer than the lengths at which one token of 64 stands out of the bound.
  const ToolResult found = here.run({"verify", "--kernel", plugin("drops_token"), "--property", "golden", "--case",
                                     "xqa/1 heads=16/2 dim=64 len=488 data=uniform seed=85788", "--no-shrink"});
  INFO(found.both());
  REQUIRE(found.exit == 1);
  CHECK_THAT(found.out, Contains("every element is within its bound"));
  CHECK_THAT(found.out, Contains("token 487"));  // the last one is what the plug-in drops
  const auto saved = here.files("failures");
  REQUIRE(saved.size() == 1);
  const ToolResult again = here.run({"repro", "failures/" + saved.front()});
  INFO(again.both());
  CHECK(again.exit == 1);
  CHECK_THAT(again.out, Contains("reproduced: FAILED suspect, as saved"));
}

TEST_CASE("stale and edited failure files are refused") {
  const Workplace here;
  REQUIRE(here.run({"verify", "--kernel", plugin("drops_token"), "--case", "xqa/1 len=65", "--property", "golden",
                    "--no-shrink"})
              .exit == 1);
  const std::string file = "failures/" + here.files("failures").front();
  const std::string text = here.read(file);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& message) {
    std::string changed = text;
    const std::size_t at = changed.rfind(from);
    REQUIRE(at != std::string::npos);
    here.write("changed.txt", changed.replace(at, from.size(), to));
    const ToolResult result = here.run({"repro", "changed.txt"});
    INFO(result.both());
    CHECK(result.exit == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(message));
  };
  refused("# tool: 0.1.0", "# tool: 9.9.9", "changed.txt: stale: saved by xqacheck 9.9.9");
  refused("# abi: 1", "# abi: 7", "changed.txt: stale: saved with kernel interface 7");
  refused("len=65", "len=66", "changed.txt: stale: the tensors of this case have xxh64");
  refused("tool=0.1", "tool=3.0", "tool=3.0: saved by another version");
}

TEST_CASE("the same failures are found and shrunk alike with any number of jobs") {
  const Workplace here;
  std::string first;
  for (const char* jobs : {"1", "2", "5"}) {
    here.run({"verify", "--kernel", plugin("wrong_head"), "--cases", "40", "--property", "golden", "--jobs", jobs,
              "--failures", jobs});
    const auto saved = here.files(jobs);
    REQUIRE(saved.size() == 1);
    const std::string text = here.read(std::string(jobs) + "/" + saved.front());
    if (first.empty()) first = text;
    CHECK(text == first);
  }
  // Head 3 must lie in another group than head 4: two KV heads, two query heads each.
  CHECK_THAT(first, Contains("\nxqa/1 heads=4/2 dim=16 len=1 page=8 "));
}

TEST_CASE("failures of two plug-ins whose kernels have one name are kept apart") {
  const Workplace here;
  const ToolResult found = here.run({"verify", "--kernel", plugin("drops_token"), "--kernel", plugin("wrong_head"),
                                     "--case", "xqa/1 heads=4/2 len=65", "--property", "golden", "--no-shrink"});
  INFO(found.both());
  CHECK(found.exit == 1);
  CHECK_THAT(found.out, Contains("example-host (" + plugin("drops_token") + ")") &&
                            Contains("example-host (" + plugin("wrong_head") + ")"));
  const auto saved = here.files("failures");
  REQUIRE(saved.size() == 2);
  for (const std::string& file : saved) {
    const bool first = file.starts_with("drops_token");
    CHECK_THAT(here.read("failures/" + file), Contains("kernel=" + plugin(first ? "drops_token" : "wrong_head")));
    CHECK_THAT(here.run({"repro", "failures/" + file}).out, Contains("reproduced: FAILED"));
  }
}

TEST_CASE("poison finds what random data cannot") {
  const Workplace here;
  const std::string line = "xqa/1 heads=1/1 dim=16 len=5 page=8 tail=zero";
  CHECK(here.run({"verify", "--kernel", plugin("reads_tail"), "--case", line, "--property", "golden"}).exit == 0);
  const ToolResult result =
      here.run({"verify", "--kernel", plugin("reads_tail"), "--case", line, "--property", "poison", "--no-shrink"});
  CHECK(result.exit == 1);
  CHECK_THAT(result.out, Contains("FAILED poison: with NaN and Inf in tokens past the end of a request"));
}

TEST_CASE("diff: equal builds, different builds, and the smallest case that tells them apart") {
  const Workplace here;
  CHECK(here.run({"diff", plugin("example"), plugin("example"), "--cases", "20"}).exit == 0);
  const ToolResult result =
      here.run({"diff", plugin("example"), plugin("drops_token"), "--cases", "60", "--json", "d.jsonl"});
  INFO(result.both());
  CHECK(result.exit == 1);
  CHECK_THAT(result.out,
             Contains("--case 'xqa/1 heads=1/1 dim=16 len=65 page=8 table=identity spare=1 tail=zero data="));
  CHECK_THAT(result.out, Contains("FAILED diff"));
  CHECK(here.run({"diff", plugin("example"), "flash32", "--case", "xqa/1 len=5 kv=e4m3"}).exit ==
        1);  // only one of them answers
  CHECK(here.run({"diff", plugin("example"), plugin("example"), "--case", "xqa/1 len=5 kv=e4m3"}).exit == 4);
}
