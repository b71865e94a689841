// Broken kernels must be found under every schedule, with the right kind and line; their correct twins under none.
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/emulation/ptx/twin_run.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::testing;

constexpr std::size_t kSchedules = 50;

std::vector<Twin> twins() {
  const char* source = std::getenv("XQACHECK_SOURCE_DIR");
  REQUIRE(source != nullptr);
  return read_twins(std::string(source) + "/fixtures/ptx/twins");
}

TEST_CASE("broken twins: found under every schedule, each finding of a marked kind in its line") {
  for (const Twin& twin : twins()) {
    std::set<std::string> kinds;
    for (const ScheduleSpec& schedule : standard_schedules(kSchedules)) {
      const TwinRun run = run_twin(twin, "broken", schedule);
      INFO(twin.name << " under " << to_text(schedule));
      CHECK_FALSE(run.findings.empty());
      for (const Finding& finding : run.findings) {
        INFO(to_text(finding));
        CHECK(finding.source_file.find(twin.name + ".cu") != std::string::npos);
        const auto marks = twin.marks.find(finding.source_line);
        const bool expected = marks != twin.marks.end() && marks->second.count(name_of(finding.kind)) != 0;
        CHECK(expected);
        if (expected) kinds.insert(name_of(finding.kind));
      }
    }
    INFO(twin.name);
    CHECK_FALSE(kinds.empty());
  }
}

TEST_CASE("correct twins: no finding and one output under all schedules") {
  for (const Twin& twin : twins()) {
    std::vector<unsigned char> first;
    for (const ScheduleSpec& schedule : standard_schedules(kSchedules)) {
      const TwinRun run = run_twin(twin, "correct", schedule);
      INFO(twin.name << " under " << to_text(schedule));
      for (const Finding& finding : run.findings) {
        INFO(to_text(finding));
        CHECK(false);
      }
      CHECK_FALSE(run.stopped);
      if (first.empty()) first = run.out;
      CHECK(first == run.out);
    }
  }
}

}  // namespace
