// JUnit XML as Jenkins, GitLab and GitHub actions read it: one suite a kernel, one test case a verdict.
// FAILED becomes <failure>, CRASHED and HUNG <error>; UNSUPPORTED, MISTRUSTED and KNOWN become <skipped> with the
// status in the message, so that no viewer shows them as passed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/report/header.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties {

class JUnit {
 public:
  explicit JUnit(const RunHeader& header) : header_(header) {}
  void add(const Verdict& verdict, const std::string& kernel);
  std::string text() const;

 private:
  struct Suite {
    std::string name, cases;
    std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
  };
  RunHeader header_;
  std::vector<Suite> suites_;  // in the order of the first verdict
};

// `text` with the five special characters escaped and everything that XML 1.0 forbids replaced by U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace xqacheck::properties
