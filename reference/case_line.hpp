// The case line: one line of text for one case, see doc/case-line.md.
#pragma once

#include <string>
#include <string_view>

#include "reference/case.hpp"
#include "reference/case_error.hpp"

namespace xqacheck::reference {

// First word of every case line: the grammar's version.
inline constexpr std::string_view kCaseVersion = "xqa/1";

// Reads and validates. Keys may come in any order; unknown and repeated keys, foreign versions and cases that
// contradict themselves throw CaseError.
Case parse_case(std::string_view line);

// The canonical line: keys in order, defaults left out. parse_case(print_case(c)) == c for every valid c.
std::string print_case(const Case& c);

// Throws CaseError naming the first field that contradicts the others or a limit of reference/case_limits.hpp.
void validate(const Case& c);

}  // namespace xqacheck::reference
