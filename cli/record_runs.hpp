// verify --record DIR and --record-calls FILE: every run of every case as a recording (doc/recordings.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/runner.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::cli {

// The runs of one kernel, by the numbers of their cases.
struct RunsToRecord {
  std::string kernel;  // as reports name it
  properties::Runner& runner;
  const std::vector<std::uint64_t>& numbers;
  const std::function<reference::RunLine(std::uint64_t)>& case_number;
};

// Run each case once more, plainly, and write what gave an output. Both return how many calls were written, and throw
// EnvironmentError when one cannot be.
//
// `folder`/KERNEL-NUMBER.safetensors, inputs included. The folder is made if it does not exist.
std::uint32_t record_to_folder(const std::string& folder, const RunsToRecord& runs);
// One calls file; its name must end in ".calls.jsonl".
std::uint32_t record_to_calls(const std::string& path, const RunsToRecord& runs);

// Throws UsageError where a calls file is asked for under another ending.
void check_calls_path(const std::string& path);

}  // namespace xqacheck::cli
