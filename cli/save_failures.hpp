// What happens to failures after a run: each distinct one is shrunk, shown and saved.
#pragma once

#include <string>

#include "cli/judging_options.hpp"
#include "cli/run_report.hpp"

namespace xqacheck::cli {

struct SaveOptions {
  std::string folder = "failures";  // --failures
  std::string corpus;               // --save-corpus
  bool no_shrink = false;           // --no-shrink
};

void add_save_options(CLI::App& command, SaveOptions& options);

// Shrinks the distinct failures of `kernel` in `report` and writes one file each. Ten at most: the rest is in the
// result files.
void save_failures(const SaveOptions& options, const JudgingOptions& judging, const std::string& kernel,
                   properties::Runners& runners, RunReport& report);

}  // namespace xqacheck::cli
