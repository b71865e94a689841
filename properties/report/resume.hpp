// Resuming a run from the results that an earlier one left behind when it was killed. Lines are whole or absent: a torn
// last line is dropped, and so is the case that was being written, as it may lack verdicts.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "properties/report/header.hpp"
#include "properties/report/json_lines.hpp"

namespace xqacheck::properties {

struct ResumePoint {
  std::size_t kept_bytes = 0;        // of the file; 0: it holds nothing to go on from
  std::vector<ResultLine> verdicts;  // of whole cases, in the order of the file
  std::set<std::string> shrunk;      // kernels whose failures were shrunk, all of them or some
  bool finished = false;             // the run had ended; nothing is left to do
};

// `header`: of the run that goes on. Throws UsageError where it is another run (tool, seed, cases, part, properties,
// kernels), naming what differs, and where the text is no result file.
ResumePoint resume_point(std::string_view text, const RunHeader& header);

}  // namespace xqacheck::properties
