// Where a killed run goes on: cut off at any byte, what is kept is whole lines of whole cases, in order.
#include "properties/report/resume.hpp"

#include "properties/errors.hpp"
#include "tests/catch.hpp"
#include "tests/properties/sample_verdicts.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;

namespace {

RunHeader header_of_two_kernels() {
  RunHeader header;
  header.cases = 3, header.properties = {"golden", "guard"};
  header.kernels = {{"one", "1", "host", "", "built-in"}, {"two", "1", "host", "", "built-in"}};
  return header;
}

// Two kernels, three cases, two verdicts a case; the first kernel's failure is shrunk.
std::string whole_run(const RunHeader& header) {
  std::string text = json_of(header) + "\n";
  Tally tally;
  for (const char* kernel : {"one", "two"}) {
    for (std::uint64_t number = 0; number < 3; ++number)
      for (const char* property : {"golden", "guard"}) {
        const Verdict verdict = sample(Status::passed, property, "", "");
        text += json_of(verdict, kernel, number) + "\n";
        tally.add(kernel, verdict);
      }
    if (std::string(kernel) == "one") text += json_of(failed_sample(), kernel, 1, "shrunk") + "\n";
  }
  return text + json_of(tally, conclude(tally, {}), 1) + "\n";
}

}  // namespace

TEST_CASE("a result file cut off at any byte keeps whole cases, and ends with a line") {
  const RunHeader header = header_of_two_kernels();
  const std::string whole = whole_run(header);
  const std::size_t shrunk = whole.find("{\"type\":\"shrunk\""), second = whole.find("\"kernel\":\"two\",\"property\"");
  std::size_t kept_before = 0, cases_before = 0;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const ResumePoint point = resume_point(std::string_view(whole).substr(0, cut), header);
    INFO("cut at " << cut);
    REQUIRE(point.kept_bytes <= cut);
    if (point.kept_bytes > 0) REQUIRE(whole[point.kept_bytes - 1] == '\n');
    // Two verdicts a case, both or none, and exactly those that stand in the kept bytes.
    REQUIRE(point.verdicts.size() % 2 == 0);
    const std::string kept = whole.substr(0, point.kept_bytes);
    std::size_t lines = 0;
    for (std::size_t at = kept.find("{\"type\":\"verdict\""); at != std::string::npos;
         at = kept.find("{\"type\":\"verdict\"", at + 1))
      ++lines;
    REQUIRE(lines == point.verdicts.size());
    // More of the file is never worth less, but for the case that is dropped as it may lack verdicts.
    REQUIRE(point.verdicts.size() + 2 >= cases_before);
    kept_before = std::max(kept_before, point.kept_bytes), cases_before = std::max(cases_before, point.verdicts.size());
    REQUIRE(point.finished == (cut == whole.size()));
    // The shrunk failure of the first kernel counts once the second kernel has begun.
    if (cut > second + 1000 || cut < shrunk) REQUIRE(point.shrunk.contains("one") == (cut > second));
  }
  CHECK(kept_before == whole.find("{\"type\":\"summary\""));
  CHECK(cases_before == 12);
}

TEST_CASE("results of another run are refused by what differs") {
  const RunHeader header = header_of_two_kernels();
  const std::string text = whole_run(header);
  const auto refused = [&](const std::string& field, auto change) {
    RunHeader other = header;
    change(other);
    CHECK_THROWS_WITH(resume_point(text, other), Catch::Matchers::Contains(field + " was "));
  };
  refused("seed", [](RunHeader& h) { h.seed = 5; });
  refused("cases", [](RunHeader& h) { h.cases = 4; });
  refused("shards", [](RunHeader& h) { h.shards = 2; });
  refused("properties", [](RunHeader& h) { h.properties.pop_back(); });
  refused("kernels", [](RunHeader& h) { h.kernels[1].version = "2"; });
  RunHeader elsewhere = header;  // what changes no verdict may differ
  elsewhere.jobs = 9, elsewhere.host = "other", elsewhere.started = "2026-01-31T12:00:00Z";
  elsewhere.command = {"xqacheck", "verify", "--resume"};
  CHECK_NOTHROW(resume_point(text, elsewhere));
}
