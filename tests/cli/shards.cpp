#include <map>
#include <set>

#include "properties/report/json_lines.hpp"
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using xqacheck::properties::parse_results;

namespace {

std::map<std::uint64_t, std::string> lines_of(const std::string& results) {
  std::map<std::uint64_t, std::string> lines;
  for (const auto& line : parse_results(results).verdicts) {
    CHECK_FALSE(lines.contains(line.case_number));  // one property: one verdict a case
    lines[line.case_number] = line.verdict.run_line + " -> " + xqacheck::properties::name_of(line.verdict.status) +
                              " " + std::to_string(line.verdict.out_hash);
  }
  return lines;
}

}  // namespace

TEST_CASE("shards cover each case exactly once, with the verdicts and bytes of the whole run") {
  const Workplace here;
  const std::vector<std::string> run = {
      "verify", "--kernel", "flash32",     "--property", "golden",  "--cases",          "31", "--seed",
      "5",      "--case",   "xqa/1 len=9", "--json",     "r.jsonl", "--max-mistrusted", "100"};
  REQUIRE(here.run(run).exit == 0);
  const auto whole = lines_of(here.read("r.jsonl"));
  CHECK(whole.size() == 32);
  std::map<std::uint64_t, std::string> parts;
  for (int shard = 1; shard <= 5; ++shard) {
    std::vector<std::string> part = run;
    part.insert(part.end(), {"--shard", std::to_string(shard) + "/5", "--jobs", std::to_string(1 + shard % 3)});
    REQUIRE(here.run(part).exit == 0);
    for (const auto& [number, line] : lines_of(here.read("r.jsonl"))) {
      CHECK_FALSE(parts.contains(number));
      parts[number] = line;
    }
  }
  CHECK(parts == whole);
}

TEST_CASE("another seed draws other cases") {
  const Workplace here;
  std::set<std::string> seen;
  for (const char* seed : {"1", "2"}) {
    REQUIRE(here.run({"verify", "--kernel", "flash32", "--property", "golden", "--cases", "5", "--seed", seed, "--json",
                      "r.jsonl"})
                .exit == 0);
    for (const auto& [number, line] : lines_of(here.read("r.jsonl"))) CHECK(seen.insert(line).second);
  }
}

TEST_CASE("a shard without cases passes for nothing") {
  const Workplace here;
  const ToolResult result = here.run({"verify", "--kernel", "flash32", "--case", "xqa/1 len=9", "--shard", "2/2"});
  CHECK(result.exit == 4);
  CHECK_THAT(result.out, Catch::Matchers::Contains("no case was asked for"));
}
