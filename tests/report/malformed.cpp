// What is no result is refused, with file, line and field.
#include "properties/errors.hpp"
#include "tests/catch.hpp"
#include "tests/report/samples.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

std::string message_of(const std::string& text) {
  try {
    gather_text(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kHeader = json_of(sample_header()) + "\n";

// A verdict with one field replaced, or left out where `value` is empty.
std::string verdict_with(const std::string& key, const std::string& value) {
  std::string line = json_of(sample(Status::passed, "golden", "", ""), "k", 0);
  const std::size_t at = line.find("\"" + key + "\":");
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + key.size() + 3;
  const std::size_t end =
      line.find_first_of("[{", begin) == begin ? line.find_first_of("]}", begin) + 1 : line.find(',', begin);
  line.replace(at, end - at, value.empty() ? "\"unknown\":1" : "\"" + key + "\":" + value);
  return kHeader + line + "\n";
}

}  // namespace

TEST_CASE("files that are no results") {
  CHECK(message_of("") == "r.jsonl: empty, no header line");
  CHECK(message_of("\n\n") == "r.jsonl: empty, no header line");
  CHECK_THAT(message_of("hello\nworld\n"), Contains("r.jsonl, line 1: no JSON, wrong from byte 1 on: 'hello'"));
  CHECK_THAT(message_of("<!doctype html>\n"), Contains("r.jsonl, line 1: no JSON"));
  CHECK_THAT(message_of("[1,2]\n"), Contains("line 1: a result is an object {…}, this is array"));
  CHECK_THAT(message_of("{}\n"), Contains("line 1: no \"type\": no result of xqacheck"));
  CHECK_THAT(message_of("{\"type\":7}\n"), Contains("line 1: no \"type\""));
  CHECK_THAT(message_of("{\"type\":\"header\"}\n"), Contains("line 1: header without \"format\""));
  CHECK_THAT(message_of("{\"type\":\"header\",\"format\":\"xqacheck-results/2\"}\n"),
             Contains("line 1: format 'xqacheck-results/2': this version reads xqacheck-results/1"));
  CHECK_THAT(message_of(sample_results().substr(kHeader.size())),
             Contains("line 1: the first line must be a header of format xqacheck-results/1, it is a verdict"));
  CHECK_THAT(message_of(kHeader.substr(0, 40)),
             Contains("line 1: no header of a result file, or cut off before its end"));
}

TEST_CASE("lines that are cut off or foreign in the midst of a file") {
  const std::string verdict = json_of(failed_sample(), "k", 0);
  CHECK_THAT(message_of(kHeader + verdict.substr(0, 100) + "\n" + verdict + "\n"),
             Contains("r.jsonl, line 2: no JSON"));
  CHECK_THAT(message_of(kHeader + verdict + "\nnoise\n"), Contains("r.jsonl, line 3: no JSON"));
  CHECK_THAT(message_of(kHeader + "{\"type\":\"poem\"}\n"),
             Contains("line 2: unknown type 'poem'; there are header, verdict"));
  CHECK_THAT(message_of(kHeader + verdict.substr(0, verdict.size() - 1) + ",\"x\":" + std::string(100000, '[') + "\n"),
             Contains("line 2: nested deeper than 16 levels"));
  CHECK_THAT(message_of(kHeader + "{\"type\":\"verdict\",\"seconds\":1e999}\n"), Contains("line 2: no JSON: "));
}

TEST_CASE("fields of the wrong type are named") {
  CHECK(message_of(verdict_with("kind", "\"fine\"")) == "accepted");
  CHECK_THAT(message_of(verdict_with("status", "")), Contains("line 2: verdict without \"status\""));
  CHECK_THAT(message_of(verdict_with("status", "3")), Contains("verdict: \"status\" must be text, it is number"));
  CHECK_THAT(message_of(verdict_with("status", "\"FINE\"")), Contains("verdict: unknown status 'FINE'"));
  CHECK_THAT(message_of(verdict_with("run", "null")), Contains("\"run\" must be text, it is null"));
  CHECK_THAT(message_of(verdict_with("number", "-1")), Contains("\"number\" must be a whole number from 0"));
  CHECK_THAT(message_of(verdict_with("bound_used", "\"much\"")),
             Contains("\"bound_used\" must be a number, \"nan\", \"inf\" or \"-inf\", it is \"much\""));
  CHECK(message_of(verdict_with("bound_used", "\"inf\"")) == "accepted");
  CHECK_THAT(message_of(verdict_with("notes", "[1]")), Contains("\"notes\" must be a list of texts, it is array"));
  CHECK_THAT(message_of(verdict_with("evidence", "[[]]")), Contains("\"evidence\" must be a list of objects"));
  CHECK_THAT(message_of(verdict_with("route", "\"here\"")), Contains("\"route\" must be an object, it is \"here\""));
}

TEST_CASE("maps are drawn cell by cell, so all of them is checked") {
  const auto with = [](const std::string& map) {
    return message_of(
        kHeader +
        "{\"type\":\"verdict\",\"kernel\":\"k\",\"property\":\"p\",\"status\":\"FAILED\",\"run\":\"r\",\"maps\":[" +
        map + "]}\n");
  };
  const std::string axes = "\"rows\":{\"name\":\"head\",\"size\":2},\"columns\":{\"name\":\"dim\",\"size\":2}";
  CHECK(with("{" + axes + ",\"cells\":[[1,null],[\"inf\",0]]}") == "accepted");
  CHECK(with("{" + axes + ",\"cells\":[]}") == "accepted");
  CHECK_THAT(with("{}"), Contains("line 2: \"maps\": a map needs objects \"rows\" and \"columns\""));
  CHECK_THAT(with("{\"rows\":{\"name\":\"head\",\"size\":2},\"columns\":{\"size\":2}}"),
             Contains("an axis needs a text \"name\""));
  CHECK_THAT(with("{\"rows\":{\"name\":\"head\",\"size\":-2},\"columns\":{\"name\":\"d\",\"size\":2}}"),
             Contains("an axis needs a whole number \"size\""));
  CHECK_THAT(with("{" + axes + "}"), Contains("a map needs \"cells\""));
  CHECK_THAT(with("{" + axes + ",\"cells\":[[1],[1,2]]}"), Contains("the rows of \"cells\" differ in length"));
  CHECK_THAT(with("{" + axes + ",\"cells\":[[\"<b>\"]]}"), Contains("a cell must be a number or null"));
}

TEST_CASE("figures of perf that are damaged") {
  CHECK(message_of(sample_perf()) == "accepted");
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = sample_perf();
    REQUIRE(text.find(from) != std::string::npos);
    return message_of(text.replace(text.find(from), from.size(), to));
  };
  CHECK_THAT(with("xqacheck-perf/1", "xqacheck-perf/2"),
             Contains("r.jsonl: format 'xqacheck-perf/2': this version reads xqacheck-perf/1"));
  CHECK_THAT(with("\"median\"", "\"mean\""), Contains("case 1: \"microseconds\" without a number \"median\""));
  CHECK_THAT(with("0.83", "\"much\""), Contains("case 1: a timed kernel needs a number \"share_of_copy\""));
  CHECK_THAT(with("\"cases\"", "\"chests\""), Contains("needs a list \"cases\""));
  CHECK_THAT(message_of(sample_perf().substr(0, 300)), Contains("r.jsonl: no JSON, wrong from byte"));
}
