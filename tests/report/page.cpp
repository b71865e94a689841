// The page around the data: nothing from outside, nothing that data could break out of.
#include "properties/report/html/page.hpp"

#include <nlohmann/json.hpp>
#include <regex>

#include "properties/report/html/sources.hpp"
#include "tests/catch.hpp"
#include "tests/report/samples.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;
using nlohmann::json;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The text between the data element's tags.
std::string data_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

}  // namespace

TEST_CASE("the page holds its scripts, styles and data, and no mark of the template is left") {
  const std::string page = html::page(gather_text(sample_results()).json);
  CHECK(count_of(page, "{{") == 0);
  for (const char* script : html::scripts()) CHECK(count_of(page, script) == 1);
  for (const char* sheet : html::style_sheets()) CHECK(count_of(page, sheet) == 1);
  CHECK(json::parse(data_in(page)).at("format") == "xqacheck-report/1");
  CHECK(html::page(gather_text(sample_results()).json) == page);  // same results, same bytes
}

TEST_CASE("nothing is loaded from anywhere") {
  const std::string page = html::page(gather_text(sample_results()).json);
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK_FALSE(std::regex_search(page, std::regex(R"(\b(src|href)\s*=\s*"(?!#))")));
  // The name space of SVG is a name, not an address.
  CHECK(count_of(page, "://") == count_of(page, "http://www.w3.org/2000/svg"));
  CHECK(page.find("@import") == std::string::npos);
  CHECK(page.find("url(") == std::string::npos);
}

TEST_CASE("hostile texts cannot end the data element") {
  const std::string empty = html::page(gather_text(sample_results()).json);
  const std::string hostile = "</script><script>alert(1)</script><!-- <script> ]]> {{DATA}} \\u003c \"' \xe2\x80\xa8";
  Verdict verdict = failed_sample();
  verdict.message = hostile, verdict.kind = hostile, verdict.notes = {hostile};
  RunHeader header = sample_header();
  header.device = hostile, header.kernels[0].name = hostile, header.command = {hostile};
  const std::string text = json_of(header) + "\n" + json_of(verdict, hostile, 0) + "\n";
  const std::string page = html::page(html::gather({{hostile, text}}, "").json);
  for (const char* mark : {"<script", "</script", "<!--"}) CHECK(count_of(page, mark) == count_of(empty, mark));
  const json data = json::parse(data_in(page));
  CHECK(data.at("runs")[0].at("file") == hostile);
  CHECK(data.at("verdicts").at("detail")[0][1].at("notes")[0] == hostile);
}

TEST_CASE("no script writes HTML") {
  for (const char* script : html::scripts()) {
    const std::string text = script;
    for (const char* way : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "DOMParser",
                            "srcdoc", "new Function", "</script", "fetch(", "XMLHttpRequest", "import "})
      CHECK(text.find(way) == std::string::npos);
  }
}
