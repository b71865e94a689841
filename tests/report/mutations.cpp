// Damaged result files: refused with a line number, or read to something whole. Never a crash, never half a thing.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "properties/errors.hpp"
#include "properties/report/html/page.hpp"
#include "tests/catch.hpp"
#include "tests/report/samples.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using nlohmann::json;

namespace {

// Pieces that JSON, HTML and our own format give a meaning to.
const std::string kPieces[] = {"\"",
                               "{",
                               "}",
                               "[",
                               "]",
                               ",",
                               ":",
                               "\n",
                               "\\",
                               "\\u0000",
                               "null",
                               "-1",
                               "1e308",
                               "1e999",
                               "\"nan\"",
                               "</script>",
                               "<!--",
                               "\xff",
                               std::string(1, '\0'),
                               "\"type\":\"verdict\"",
                               "\"maps\":[{}]",
                               "\xf0\x9f\x98\x80",
                               "\"in_run\":7",
                               " @ "};

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(40));
        break;
      case 2:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), below(200)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

// Everything that the page's scripts index must be there.
void check_whole(const html::ReportData& gathered) {
  const json data = json::parse(gathered.json);
  const std::size_t texts = data.at("text").size(), cases = data.at("cases").at("line").size();
  const json& verdicts = data.at("verdicts");
  const std::size_t count = verdicts.at("status").size();
  for (const auto& [name, column] : verdicts.items())
    if (name != "detail") REQUIRE(column.size() == count);
  for (const char* name : {"kernel", "property", "status", "kind", "how", "message", "hash", "device"})
    for (const json& index : verdicts.at(name)) REQUIRE(index.get<std::size_t>() < texts);
  for (const json& index : verdicts.at("case")) REQUIRE(index.get<std::size_t>() < cases);
  for (const json& index : verdicts.at("run")) REQUIRE(index.get<std::size_t>() < data.at("runs").size());
  for (const json& detail : verdicts.at("detail")) REQUIRE(detail[0].get<std::size_t>() < count);
  for (const char* type : {"shrunk", "budget", "causes", "perf", "power"})
    for (const json& record : data.at(type)) REQUIRE(record.at("in_run").get<std::size_t>() < data.at("runs").size());
  const bool harmless = std::all_of(gathered.json.begin(), gathered.json.end(),
                                    [](char c) { return c != '<' && c != '\n' && static_cast<unsigned char>(c) < 0x80; });
  REQUIRE(harmless);
}

}  // namespace

TEST_CASE("damaged files are refused or read, one or the other") {
  std::mt19937 random(20260131);
  const std::string whole[] = {sample_results(), sample_perf()};
  std::size_t refused = 0, read = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = damaged(whole[i % 2], random);
    CAPTURE(text);
    try {
      check_whole(gather_text(text));
      ++read;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      REQUIRE(message.rfind("r.jsonl", 0) == 0);
      // Names what is wrong in printable text, however wild the bytes are.
      for (const char c : message) REQUIRE((c >= 0x20 || static_cast<unsigned char>(c) >= 0x80));
      ++refused;
    }
  }
  // Both ends are reached often; otherwise the damage is too small or too large to test anything.
  CHECK(refused > 300);
  CHECK(read > 300);
}
