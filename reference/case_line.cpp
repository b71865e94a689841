#include "reference/case_line.hpp"

#include <fmt/format.h>

#include "reference/case_grammar.hpp"
#include "reference/case_limits.hpp"
#include "reference/line_text.hpp"

namespace xqacheck::reference {
namespace {

void check_version(std::string_view word) {
  if (word == kCaseVersion) return;
  if (word.starts_with("xqa/")) {
    throw CaseError("line", std::string(word),
                    fmt::format("this tool reads version {}; use the tool that wrote the line", kCaseVersion));
  }
  throw CaseError("line", std::string(word), fmt::format("a case line starts with {}", kCaseVersion),
                  nearest_of(word, {kCaseVersion}));
}

}  // namespace

Case parse_case(std::string_view line) {
  if (line.size() > kMaxLine) {
    throw CaseError("line", "", fmt::format("is {} characters long, at most {} are read", line.size(), kMaxLine));
  }
  std::vector<std::string_view> found = words(line);
  if (found.empty()) throw CaseError("line", "", fmt::format("is empty; a case line starts with {}", kCaseVersion));
  check_version(found.front());
  found.erase(found.begin());
  Case c;
  // The seed of drawn lengths comes first, wherever it stands in the line.
  parse_keys(found, case_keys(), "geo", c);
  validate(c);
  return c;
}

std::string print_case(const Case& c) {
  return std::string(kCaseVersion) + print_keys(case_keys(), c);
}

}  // namespace xqacheck::reference
