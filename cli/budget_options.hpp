// What the budget commands share: which kernel, which configurations, how many samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "properties/budget/sampling.hpp"
#include "properties/campaign.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

struct BudgetOptions {
  std::string kernel;              // --kernel
  std::vector<std::string> lines;  // --case
  std::vector<std::string> sets;   // --set: default configurations by format of the cache
  std::string ladder;              // --ladder 64..131072
  std::string samples = "auto";    // --samples
  std::uint64_t first_seed = 1;    // --first-seed
  std::uint32_t jobs = 0;          // --jobs
  double timeout_seconds = 120;    // --timeout, of one run of a kernel
};

void add_kernel_option(CLI::App& command, BudgetOptions& options);
void add_configuration_options(CLI::App& command, BudgetOptions& options);
void add_sampling_options(CLI::App& command, BudgetOptions& options);

// Run lines without kernel and seed. With neither cases nor sets: the default configurations of the formats that the
// kernel supports. Throws UsageError, CaseError.
std::vector<reference::RunLine> chosen_configurations(const BudgetOptions& options, properties::Runner& runner);

// Throws UsageError where seeds would run past 2^64.
void require_seed(const char* option, std::uint64_t first);

// 0 for "auto".
std::uint64_t sample_count(const BudgetOptions& options);

// Runners of the kernel, whose workers use one thread each: samples run in parallel, not their parts.
properties::Runners make_budget_runners(const std::string& kernel, std::uint32_t jobs);

// Takes `count` samples, or (0) as many as the check of them will need, decided by the first ones.
properties::budget::SampleSet sample(const reference::RunLine& run, properties::Runners& runners,
                                     const BudgetOptions& options, std::uint64_t count);

properties::budget::SamplingOptions sampling_options(const BudgetOptions& options);

}  // namespace xqacheck::cli
