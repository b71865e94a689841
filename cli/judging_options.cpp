#include "cli/judging_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "kernels/registry.hpp"
#include "properties/errors.hpp"
#include "reference/case_error.hpp"

namespace xqacheck::cli {

using namespace properties;

void add_run_options(CLI::App& command, JudgingOptions& options) {
  command.add_option("--jobs", options.jobs, "Worker processes at once (one a processor); changes no result")
      ->type_name("N");
  command.add_option("--threads", options.threads, "Threads of the reference in each job (1); changes no result")
      ->type_name("N");
  command.add_flag("--no-filters", options.no_filters,
                   "golden: judge elements only, not what their errors have in common (doc/filters.md)");
  command.add_option("--timeout", options.timeout_seconds, "Seconds that one run of a kernel may take (30)")
      ->type_name("SECONDS");
}

void add_judging_options(CLI::App& command, JudgingOptions& options) {
  command
      .add_option("--property", options.properties,
                  "Properties to judge, separated by commas (all); see: xqacheck list properties")
      ->delimiter(',')
      ->type_name("NAME");
  add_run_options(command, options);
}

std::vector<const Property*> chosen_properties(const JudgingOptions& options) {
  const auto all = all_properties();
  if (options.properties.empty()) return {all.begin(), all.end()};
  std::vector<const Property*> chosen;
  for (const std::string& id : options.properties) {
    const Property* property = property_named(id);
    if (!property) {
      std::vector<std::string_view> known;
      for (const Property* each : all) known.emplace_back(each->id);
      const std::string near = reference::nearest_of(id, known);
      throw UsageError(fmt::format("--property {}: there is {}{}", reference::printable(id), fmt::join(known, ", "),
                                   near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
    }
    if (std::find(chosen.begin(), chosen.end(), property) == chosen.end()) chosen.push_back(property);
  }
  return chosen;
}

TrialOptions trial_options(const JudgingOptions& options) {
  constexpr double kLongest = 86400;  // a day
  if (!(options.timeout_seconds > 0 && options.timeout_seconds <= kLongest))
    throw UsageError(
        fmt::format("--timeout {:g}: needs seconds above 0, at most {:g}", options.timeout_seconds, kLongest));
  if (options.threads < 0 || options.threads > 1024)
    throw UsageError(fmt::format("--threads {}: needs 1 to 1024, or 0 for all processors", options.threads));
  TrialOptions trial;
  trial.timeout_seconds = options.timeout_seconds;
  trial.threads = options.threads;
  trial.filters = !options.no_filters;
  return trial;
}

std::vector<std::string> chosen_kernels(const std::vector<std::string>& asked) {
  const bool all = asked == std::vector<std::string>{"all"};
  if (!asked.empty() && !all) return asked;
  std::vector<std::string> host;
  for (const xqacheck_kernel* kernel : kernels::builtin_kernels()) {
    const std::string name = kernel->describe()->name;
    // Emulators carry out every rounding of a GPU in software: a hundred times slower, so only on demand.
    if (kernel->describe()->memory == XQACHECK_HOST && (all || !name.starts_with("emu-"))) host.push_back(name);
  }
  return host;
}

}  // namespace xqacheck::cli
