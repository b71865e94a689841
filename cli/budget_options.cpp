#include "cli/budget_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>

#include "cli/kernel_runners.hpp"
#include "properties/budget/default_configurations.hpp"
#include "properties/budget/look.hpp"
#include "properties/budget/sample_size.hpp"
#include "properties/errors.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {

using namespace properties;

void add_kernel_option(CLI::App& command, BudgetOptions& options) {
  command.add_option("--kernel", options.kernel, "Built-in name, ./plugin.so or ./plugin.so:name")->type_name("KERNEL");
}

void add_configuration_options(CLI::App& command, BudgetOptions& options) {
  command
      .add_option("--case", options.lines,
                  "A case line without seed, or a run line with plan= and sms=; may be given several times")
      ->type_name("LINE");
  command
      .add_option(
          "--set", options.sets,
          "Default configurations for a cache of this format: e4m3, int8, bf16, fp16 (those that the kernel takes)")
      ->delimiter(',')
      ->type_name("NAME");
  command.add_option("--ladder", options.ladder, "Each case with every power of two of tokens, e.g. 64..131072")
      ->type_name("A..B");
}

void add_sampling_options(CLI::App& command, BudgetOptions& options) {
  command.add_option("--samples", options.samples, "Seeds a configuration, or auto: as many as a check needs (auto)")
      ->type_name("N");
  command.add_option("--jobs", options.jobs, "Worker processes at once (one a processor); changes no result")
      ->type_name("N");
  command.add_option("--timeout", options.timeout_seconds, "Seconds that one run of a kernel may take (120)")
      ->type_name("SECONDS");
}

Runners make_budget_runners(const std::string& kernel, std::uint32_t jobs) {
  constexpr int kKeepWhatIsSet = 0;
  setenv("OMP_NUM_THREADS", "1", kKeepWhatIsSet);  // workers inherit it when they start
  return make_runners(kernel, job_count(jobs));
}

std::uint64_t sample_count(const BudgetOptions& options) {
  if (options.samples == "auto") return 0;
  constexpr std::uint64_t kMost = 100000;
  std::uint64_t count = 0;
  const char *const begin = options.samples.data(), *const end = begin + options.samples.size();
  const auto [stop, error] = std::from_chars(begin, end, count);
  if (error != std::errc{} || stop != end || count < 2 || count > kMost)
    throw UsageError(fmt::format("--samples {}: needs auto, or a number from 2 to {}", options.samples, kMost));
  return count;
}

void require_seed(const char* option, std::uint64_t first) {
  constexpr std::uint64_t kMost = 1000000000000000000;  // so that no count of samples takes it past 2^64
  if (first > kMost) throw UsageError(fmt::format("{} {}: at most {}", option, first, kMost));
}

std::vector<reference::RunLine> chosen_configurations(const BudgetOptions& options, Runner& runner) {
  std::vector<reference::RunLine> runs;
  for (const std::string& line : options.lines) {
    reference::RunLine run = reference::parse_run_line(line);
    if (run.subject.seed != 0)
      throw UsageError(fmt::format("--case {}: a configuration has no seed; see --first-seed", line));
    if (const std::string why = budget::RealCache::why_not(run.subject); !why.empty())
      throw UsageError(fmt::format("--case {}: {}", line, why));
    run.kernel.clear(), run.tool.clear();
    runs.push_back(run);
  }
  std::vector<std::string> sets = options.sets;
  const std::string name = runner.description().name;
  if (runs.empty() && sets.empty())
    sets = name == "emu-qgmma"   ? std::vector<std::string>{"e4m3"}
           : name == "emu-hgmma" ? std::vector<std::string>{"bf16"}
                                 : std::vector<std::string>{"bf16", "int8", "e4m3"};
  for (const std::string& set : sets)
    for (const reference::RunLine& run : budget::default_configurations(set)) runs.push_back(run);
  if (options.ladder.empty()) return runs;
  if (options.lines.empty()) throw UsageError("--ladder: needs a --case whose length it varies");
  std::vector<reference::RunLine> rungs;
  for (const reference::RunLine& run : runs)
    for (const reference::RunLine& rung : budget::ladder(run, options.ladder)) rungs.push_back(rung);
  return rungs;
}

budget::SamplingOptions sampling_options(const BudgetOptions& options) {
  constexpr double kLongest = 86400;  // a day
  if (!(options.timeout_seconds > 0 && options.timeout_seconds <= kLongest))
    throw UsageError(
        fmt::format("--timeout {:g}: needs seconds above 0, at most {:g}", options.timeout_seconds, kLongest));
  budget::SamplingOptions sampling;
  sampling.timeout_seconds = options.timeout_seconds;
  return sampling;
}

budget::SampleSet sample(const reference::RunLine& run, Runners& runners, const BudgetOptions& options,
                         std::uint64_t count) {
  constexpr std::uint64_t kPilot = 32;  // spreads are then known to an eighth
  const budget::SamplingOptions sampling = sampling_options(options);
  budget::SampleSet set = budget::take_samples(run, runners, options.first_seed, count > 0 ? count : kPilot, sampling);
  if (count > 0 || set.status != RunStatus::ok || !run.subject.file.empty()) return set;
  constexpr double kFalseAlarms = 1e-4;
  const std::uint64_t wanted = budget::samples_to_measure(set, kFalseAlarms);
  if (wanted > kPilot)
    budget::append(set, budget::take_samples(run, runners, options.first_seed + kPilot, wanted - kPilot, sampling));
  return set;
}

}  // namespace xqacheck::cli
