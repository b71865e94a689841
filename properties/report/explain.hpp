// Text for people: a verdict in full, and the summary table of a run. The approved texts are in
// tests/properties/approved.
#pragma once

#include <string>

#include "properties/report/exit_code.hpp"
#include "properties/report/tally.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties {

// Status, message, worst elements and where they sit, notes, and the command that reproduces it. Several lines. An
// empty `command` stands for `xqacheck repro` with the run line.
std::string explain(const Verdict& verdict, const std::string& command = "");

// Counts by property and status, then grouped reasons for what did not run or could not be trusted, then the
// conclusion.
std::string summary_table(const Tally& tally, const Conclusion& conclusion, double seconds);

// Where the time of the run went, the dearest property first.
std::string time_table(const Tally& tally);

// `text` as one argument of a POSIX shell.
std::string shell_quoted(const std::string& text);

}  // namespace xqacheck::properties
