// Options of every command that runs kernels: which kernels and properties, how many at once, how long.
#pragma once

#include <string>
#include <vector>

#include "properties/property.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

struct JudgingOptions {
  std::vector<std::string> properties;  // --property; empty: all
  std::uint32_t jobs = 0;               // --jobs; 0: one a processor
  int threads = 1;                      // --threads, of the golden model in each job
  bool no_filters = false;              // --no-filters
  double timeout_seconds = 30;          // --timeout, of one run of a kernel
};

void add_run_options(CLI::App& command, JudgingOptions& options);      // jobs, threads, timeout, filters
void add_judging_options(CLI::App& command, JudgingOptions& options);  // and properties

// Throw UsageError naming the option and the nearest valid value.
std::vector<const properties::Property*> chosen_properties(const JudgingOptions& options);
properties::TrialOptions trial_options(const JudgingOptions& options);

// The kernels asked for; the built-in host kernels if none is, without emulators unless `all` is asked for.
std::vector<std::string> chosen_kernels(const std::vector<std::string>& asked);

}  // namespace xqacheck::cli
