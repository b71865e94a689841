#include "properties/report/junit.hpp"

#include <cstdlib>
#include <filesystem>

#include "properties/report/atomic_file.hpp"
#include "tests/approved.hpp"
#include "tests/catch.hpp"
#include "tests/properties/sample_verdicts.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;

namespace {

std::string sample_xml(const std::vector<Verdict>& verdicts) {
  JUnit junit(sample_header());
  for (const Verdict& verdict : verdicts) junit.add(verdict, "flash32");
  return junit.text();
}

// Exit code of xmllint with the schema under fixtures/; -1 where there is no xmllint.
int schema_violations(const std::string& xml) {
  if (std::system("command -v xmllint >/dev/null 2>&1") != 0) return -1;
  const std::string path = (std::filesystem::temp_directory_path() / "xqacheck-junit-test.xml").string();
  write_file_atomically(path, xml);
  const std::string command = "xmllint --noout --schema '" + std::string(std::getenv("XQACHECK_SOURCE_DIR")) +
                              "/fixtures/junit/junit.xsd' '" + path + "'";
  const int result = std::system((command + " 2>&1").c_str());
  std::filesystem::remove(path);
  return result;
}

}  // namespace

TEST_CASE("JUnit XML is as approved") {
  CHECK_APPROVED("tests/properties/approved/junit.xml", sample_xml(all_samples()));
}

TEST_CASE("JUnit XML obeys the common schema, whatever a kernel says") {
  Verdict odd = failed_sample();
  odd.message = "<tile> & \"quotes\" '\x01\x02 \xff\xc0\x80 \xed\xa0\x80 \xef\xbf\xbf é 𝄞";
  odd.run_line = "a\tb  c";
  const int clean = schema_violations(sample_xml(all_samples()));
  if (clean == -1) {
    WARN("xmllint is not installed (package libxml2-utils): the schema was not checked");
    return;
  }
  CHECK(clean == 0);
  CHECK(schema_violations(sample_xml({odd})) == 0);
  CHECK(schema_violations(sample_xml({})) == 0);
  // The schema itself can fail: a verdict without a name.
  std::string broken = sample_xml(all_samples());
  broken.replace(broken.find(" classname="), 11, " klassname=");
  CHECK(schema_violations(broken) != 0);
}

TEST_CASE("what did not pass is never shown as passed") {
  for (const Verdict& verdict : all_samples()) {
    const std::string xml = sample_xml({verdict});
    const bool plain = xml.find("<failure") == std::string::npos && xml.find("<error") == std::string::npos &&
                       xml.find("<skipped") == std::string::npos;
    CHECK(plain == (verdict.status == Status::passed));
  }
}

TEST_CASE("XML escapes") {
  CHECK(xml_escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&apos;");
  CHECK(xml_escaped("\x01") == "\xEF\xBF\xBD");
  CHECK(xml_escaped("é𝄞") == "é𝄞");
  CHECK(xml_escaped("\xc3") == "\xEF\xBF\xBD");                  // cut short
  CHECK(xml_escaped("\xc0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
}
