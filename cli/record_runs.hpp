// verify --record DIR: every run of every case as a recording (doc/recordings.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/runner.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::cli {

// Runs each case once more, plainly, and writes `folder`/KERNEL-NUMBER.safetensors where the run gave an output. The folder is
// made if it does not exist. Returns how many files were written. Throws EnvironmentError when one cannot be.
std::uint32_t record_runs(const std::string& folder, const std::string& kernel, properties::Runner& runner,
                          const std::vector<std::uint64_t>& numbers,
                          const std::function<reference::RunLine(std::uint64_t)>& case_number);

}  // namespace xqacheck::cli
