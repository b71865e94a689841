#include "properties/report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/report/explain.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::properties {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

// Length of the valid UTF-8 sequence of a character that XML allows at the start of `text`, 0 if there is none.
std::size_t valid_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (length == 3) {
    const unsigned code = (first & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63);
    if (code < 0x800 || (code >= 0xD800 && code < 0xE000) || code >= 0xFFFE) return 0;
  }
  if (length == 4 && ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))) return 0;
  return length;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = valid_sequence(text);
    const std::string_view piece = text.substr(0, std::max<std::size_t>(1, length));
    text.remove_prefix(piece.size());
    if (length == 0)
      out += kReplacement;
    else if (piece == "&")
      out += "&amp;";
    else if (piece == "<")
      out += "&lt;";
    else if (piece == ">")
      out += "&gt;";
    else if (piece == "\"")
      out += "&quot;";
    else if (piece == "'")
      out += "&apos;";
    else
      out += piece;
  }
  return out;
}

void JUnit::add(const Verdict& verdict, const std::string& kernel) {
  auto suite = std::find_if(suites_.begin(), suites_.end(), [&](const Suite& s) { return s.name == kernel; });
  if (suite == suites_.end()) suite = suites_.insert(suites_.end(), Suite{kernel, {}, 0, 0, 0, 0, 0});
  ++suite->tests;
  suite->seconds += verdict.seconds;
  suite->cases += fmt::format(R"(    <testcase classname="{}.{}" name="{}" time="{:.6f}")", xml_escaped(kernel),
                              xml_escaped(verdict.property), xml_escaped(verdict.run_line), verdict.seconds);
  const std::string message = xml_escaped(verdict.message);
  if (verdict.status == Status::passed) {
    suite->cases += "/>\n";
    return;
  }
  suite->cases += ">\n";
  if (is_failure(verdict.status)) {
    const bool failed = verdict.status == Status::failed;
    ++(failed ? suite->failures : suite->errors);
    suite->cases += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", failed ? "failure" : "error",
                                name_of(verdict.status), message, xml_escaped(explain(verdict)));
  } else {
    ++suite->skipped;
    suite->cases += fmt::format("      <skipped message=\"{}: {}\"/>\n", name_of(verdict.status), message);
  }
  suite->cases += "    </testcase>\n";
}

std::string JUnit::text() const {
  Suite all;
  std::string suites;
  for (const Suite& suite : suites_) {
    all.tests += suite.tests, all.failures += suite.failures, all.errors += suite.errors, all.seconds += suite.seconds;
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6f}\" "
        "timestamp=\"{}\" "
        "hostname=\"{}\">\n",
        xml_escaped(suite.name), suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds,
        xml_escaped(header_.started.substr(0, 19)), xml_escaped(header_.host.empty() ? "localhost" : header_.host));
    suites += fmt::format(
        "    <properties>\n      <property name=\"tool\" value=\"xqacheck {}\"/>\n      <property name=\"seed\" "
        "value=\"{}\"/>\n"
        "      <property name=\"device\" value=\"{}\"/>\n    </properties>\n",
        tool_version(), header_.seed, xml_escaped(header_.device));
    suites += suite.cases + "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"xqacheck\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" time=\"{:.6f}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, all.seconds, suites);
}

}  // namespace xqacheck::properties
