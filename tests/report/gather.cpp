// What the page shows is what the result files say.
#include <nlohmann/json.hpp>

#include "properties/verdict.hpp"
#include "tests/catch.hpp"
#include "tests/report/samples.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using nlohmann::json;

namespace {

std::string text_at(const json& data, const json& index) {
  return data.at("text").at(index.get<std::size_t>());
}

}  // namespace

TEST_CASE("every verdict is there, with all of its fields") {
  const html::ReportData gathered = gather_text(sample_results());
  CHECK(gathered.warnings.empty());
  const json data = json::parse(gathered.json);
  const json& verdicts = data.at("verdicts");
  const std::vector<Verdict> samples = all_samples();
  REQUIRE(verdicts.at("status").size() == samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Verdict& want = samples[i];
    CHECK(text_at(data, verdicts.at("status")[i]) == name_of(want.status));
    CHECK(text_at(data, verdicts.at("property")[i]) == want.property);
    CHECK(text_at(data, verdicts.at("kind")[i]) == want.kind);
    CHECK(text_at(data, verdicts.at("message")[i]) == want.message);
    const std::string line = text_at(data, data.at("cases").at("line").at(verdicts.at("case")[i].get<std::size_t>()));
    CHECK(line + " @ " + text_at(data, verdicts.at("how")[i]) == want.run_line);
    CHECK(verdicts.at("number")[i] == i);
    CHECK(verdicts.at("elements")[i] == want.elements);
    CHECK(verdicts.at("used")[i] == want.bound_used);
    CHECK(verdicts.at("rms")[i] == want.error.rms);
    CHECK(text_at(data, verdicts.at("hash")[i]) == "0123456789abcdef");
  }
  CHECK(verdicts.at("largest")[0] == "nan");
  // Only the failing sample has evidence, notes and a map.
  REQUIRE(verdicts.at("detail").size() == 1);
  CHECK(verdicts.at("detail")[0][0] == 0);
  const json& detail = verdicts.at("detail")[0][1];
  CHECK(detail.at("evidence").size() == 2);
  CHECK(detail.at("notes")[0] == samples[0].notes[0]);
  CHECK(detail.at("maps")[0].at("cells")[1][2] == "inf");
  CHECK(data.at("shrunk").size() == 1);
}

TEST_CASE("columns are equally long, and indices lie within their tables") {
  const json data = json::parse(gather_text(sample_results()).json);
  for (const auto& [name, column] : data.at("verdicts").items())
    if (name != "detail") CHECK(column.size() == all_samples().size());
  for (const auto& [name, column] : data.at("cases").items())
    CHECK(column.size() == data.at("cases").at("line").size());
  CHECK(data.at("cases").at("line").size() == 1);  // all samples are of one case
  CHECK(data.at("cases").at("length")[0] == 65);
  CHECK(text_at(data, data.at("cases").at("heads")[0]) == "4/2");
}

TEST_CASE("a case line of a later version stays, without what only that version knows") {
  Verdict verdict = failed_sample();
  verdict.run_line = "xqa/9 colour=red @ kernel=k";
  const json data = json::parse(gather_text(json_of(sample_header()) + "\n" + json_of(verdict, "k", 0) + "\n").json);
  CHECK(text_at(data, data.at("cases").at("line")[0]) == "xqa/9 colour=red");
  CHECK(data.at("cases").at("length")[0] == -1);
}

TEST_CASE("several files, and several runs in one file, stay apart") {
  const std::string one = sample_results();
  const json data =
      json::parse(html::gather({{"a.jsonl", one + one}, {"b.jsonl", one}, {"perf.json", sample_perf()}}, "").json);
  REQUIRE(data.at("runs").size() == 4);
  CHECK(data.at("runs")[1].at("file") == "a.jsonl");
  CHECK(data.at("runs")[2].at("file") == "b.jsonl");
  CHECK(data.at("runs")[3].at("kind") == "perf");
  CHECK(data.at("verdicts").at("run")[2 * all_samples().size()] == 2);
  REQUIRE(data.at("perf").size() == 1);
  CHECK(data.at("perf")[0].at("in_run") == 3);
  CHECK(data.at("perf")[0].at("kernels")[0].at("share_of_copy") == 0.83);
}

TEST_CASE("a run that was killed is shown as far as it came, and says so") {
  const std::string whole = sample_results();
  const std::size_t header_end = whole.find('\n') + 1;
  const html::ReportData no_summary = gather_text(whole.substr(0, whole.rfind("{\"type\":\"summary\"")));
  REQUIRE(no_summary.warnings.size() == 1);
  CHECK(no_summary.warnings[0] == "r.jsonl: no summary line: the run did not end");
  for (std::size_t end = header_end + 1; end < whole.size(); end += 61) {
    const html::ReportData cut = gather_text(whole.substr(0, end));
    const bool at_line_end = whole[end - 1] == '\n' || whole[end] == '\n';
    CHECK(json::parse(cut.json).at("runs")[0].at("torn") == !at_line_end);
    if (!at_line_end) CHECK(cut.warnings[0].find("cut off and left out: the run was killed") != std::string::npos);
  }
}

TEST_CASE("blank lines and carriage returns do no harm") {
  std::string text;
  for (const char c : sample_results()) text += c == '\n' ? std::string("\r\n\r\n") : std::string(1, c);
  CHECK(json::parse(gather_text(text).json).at("verdicts").at("status").size() == all_samples().size());
}
