// Going on with a killed run: what its result file holds is counted again, not run again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/run_report.hpp"

namespace xqacheck::cli {

struct Rest {
  std::vector<std::uint64_t> numbers;  // cases of the kernel that are still to be run
  bool done = false;                   // all of it was done and reported; nothing to shrink or save either
};

// Hands the kernel's earlier results to `report`; none without --resume. Throws UsageError where the file's case is not
// the run's case of that number.
Rest replay_earlier(const std::string& kernel, const std::vector<std::uint64_t>& numbers,
                    const std::function<reference::RunLine(std::uint64_t)>& case_number, RunReport& report);

}  // namespace xqacheck::cli
