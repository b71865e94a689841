#include "properties/report/json_lines.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "properties/errors.hpp"
#include "properties/report/atomic_file.hpp"
#include "tests/approved.hpp"
#include "tests/catch.hpp"
#include "tests/properties/sample_verdicts.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;

namespace {

std::string sample_file() {
  std::string text = json_of(sample_header()) + "\n";
  Tally tally;
  std::uint64_t number = 0;
  for (const Verdict& verdict : all_samples()) {
    text += json_of(verdict, "flash32", number++) + "\n";
    tally.add("flash32", verdict);
    tally.add_case(verdict.status != Status::unsupported);
  }
  return text + json_of(tally, conclude(tally, {}), 1.5) + "\n";
}

std::string message_of(const std::string& text) {
  try {
    parse_results(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("JSON Lines are as approved") {
  CHECK_APPROVED("tests/properties/approved/results.jsonl", sample_file());
}

TEST_CASE("what is written is read back") {
  const Results results = parse_results(sample_file());
  CHECK(results.tool == "0.1.0");
  CHECK_FALSE(results.torn);
  REQUIRE(results.exit_code);
  CHECK(*results.exit_code == 1);
  const auto samples = all_samples();
  REQUIRE(results.verdicts.size() == samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Verdict &want = samples[i], &got = results.verdicts[i].verdict;
    CHECK(results.verdicts[i].case_number == i);
    CHECK(results.verdicts[i].kernel == "flash32");
    CHECK(got.status == want.status);
    CHECK(got.property == want.property);
    CHECK(got.kind == want.kind);
    CHECK(got.run_line == want.run_line);
    CHECK(got.subject == want.subject);
    CHECK(got.message == want.message);
    CHECK(got.notes == want.notes);
    CHECK(got.out_hash == want.out_hash);
    CHECK(got.bound_used == want.bound_used);
    CHECK(got.route.splits == want.route.splits);
    REQUIRE(got.evidence.size() == want.evidence.size());
  }
  const ErrorFigures& error = results.verdicts[0].verdict.error;
  CHECK(error.rms == 0.125);
  CHECK(error.signal == 0.5);
  CHECK(std::isnan(error.largest));
  CHECK(results.verdicts[1].verdict.error.signal == 0);
  REQUIRE(results.verdicts[0].verdict.maps.size() == 1);
  const ErrorMap& map = results.verdicts[0].verdict.maps[0];
  CHECK((map.rows == "head" && map.columns == "dim" && map.row_count == 4 && map.column_count == 32));
  CHECK((map.cell_rows == 2 && map.cell_columns == 3));
  CHECK(map.cells == std::vector<double>{0.25, 0.5, ErrorMap::kNothing, 1, 128, HUGE_VAL});  // three digits
  const BadElement& first = results.verdicts[0].verdict.evidence[0];
  CHECK(first.dim == 17);
  CHECK(first.page == 9);
  CHECK(first.tile == 1);
  const BadElement& second = results.verdicts[0].verdict.evidence[1];
  CHECK(std::isnan(second.got));
  CHECK(std::isinf(second.ulps));
  CHECK(second.page == -1);
}

TEST_CASE("a torn last line is tolerated at every place") {
  const std::string whole = sample_file();
  const std::size_t header_end = whole.find('\n') + 1;
  for (std::size_t end = header_end + 1; end < whole.size(); end += 97) {
    const Results results = parse_results(whole.substr(0, end));
    const bool at_line_end = whole[end - 1] == '\n';
    CHECK(results.torn != at_line_end);
  }
  CHECK_FALSE(parse_results(whole.substr(0, header_end)).torn);
}

TEST_CASE("what is no result file is refused with its line") {
  CHECK(message_of("") == "results: empty, no header line");
  CHECK(message_of("{}\n").find("results, line 1: ") == 0);
  CHECK(message_of("not json\n").find("results, line 1: ") == 0);
  CHECK(message_of(R"({"type":"header","format":"xqacheck-results/2"})"
                   "\n") == "results, line 1: the first line must be a header of format xqacheck-results/1");
  const std::string header = json_of(sample_header()) + "\n";
  CHECK(message_of(header + "{\"type\":\"poem\"}\n") == "results, line 2: unknown type poem");
  CHECK(message_of(header + "{\"type\":\"verdict\"}\n").find("results, line 2: ") == 0);
}

TEST_CASE("bytes that are no UTF-8 do not end a run") {
  Verdict verdict = failed_sample();
  verdict.message = "kernel said \xff\xfe";
  const Results results = parse_results(json_of(sample_header()) + "\n" + json_of(verdict, "k", 0) + "\n");
  CHECK(results.verdicts[0].verdict.message.find("kernel said ") == 0);
}

TEST_CASE("lines reach the file one by one") {
  const std::string folder = std::filesystem::temp_directory_path() / "xqacheck-json-lines-test";
  std::filesystem::remove_all(folder);
  const std::string path = folder + "/deep/results.jsonl";
  JsonLinesFile file(path, sample_header());
  file.add(failed_sample(), "flash32", 0);
  CHECK(parse_results(read_whole_file(path)).verdicts.size() == 1);  // while the run goes on
  std::filesystem::remove_all(folder);
}

TEST_CASE("a result file in an impossible place is an environment error that names it") {
  CHECK_THROWS_AS(JsonLinesFile("/proc/no/such/place.jsonl", sample_header()), EnvironmentError);
  CHECK_THROWS_AS(require_writable("/proc/no/such/place.xml"), EnvironmentError);
  CHECK_THROWS_AS(write_file_atomically("/proc/no/such/place.xml", "x"), EnvironmentError);
}
