// xqacheck budget measure: how large the errors of a kernel are, and a budget file of it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/budget.hpp"
#include "cli/budget_options.hpp"
#include "cli/commands.hpp"
#include "cli/kernel_runners.hpp"
#include "properties/budget/budget.hpp"
#include "properties/budget/causes.hpp"
#include "properties/budget/provenance.hpp"
#include "properties/budget/records.hpp"
#include "properties/errors.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/report/json_lines.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  BudgetOptions budget;
  std::string out, json, note;
  std::uint64_t cause_seeds = 0;  // --causes
};

RunHeader header_of(Runner& runner, const std::string& spec, std::uint64_t cases, const Options& options) {
  RunHeader header;
  if (runner.device() != "host") header.device = runner.device();
  header.command = command_line();
  header.seed = options.budget.first_seed, header.cases = cases, header.jobs = job_count(options.budget.jobs);
  header.properties = {"budget"};
  header.kernels = {info_of(runner.description(), spec.find('/') != std::string::npos ? spec : "built-in")};
  header.host = host_name(), header.started = utc_now();
  return header;
}

void print(const budget::ConfigurationBudget& c, const budget::SampleSet& set) {
  fmt::print("\n{}\n  {} samples of {} elements, {} split{}, {:.1f} s\n", budget::name_of(c), c.samples.size(),
             set.elements, set.route.splits, set.route.splits == 1 ? "" : "s", set.seconds);
  fmt::print("  {:<14} {:>11} {:>11} {:>11} {:>10}\n", "metric", "mean", "low", "high", "limit");
  for (std::size_t i = 0; i < budget::kMetrics; ++i) {
    if (!c.metrics[i]) continue;
    const budget::MetricInfo& info = budget::info_of(static_cast<budget::Metric>(i));
    const budget::MetricBudget& m = *c.metrics[i];
    const std::string limit = info.gate == budget::Gate::shown ? "-" : fmt::format("{:.4g}", m.limit);
    fmt::print("  {:<14} {:>11.4g} {:>11.4g} {:>11.4g} {:>10}  {}\n", info.key, m.measured.mean, m.measured.low,
               m.measured.high, limit, info.text);
  }
  std::fflush(stdout);
}

// The split by cause of a kernel with a recipe, remembered so that a change of profile can be named.
void add_causes(budget::ConfigurationBudget& c, const xqacheck_description& kernel, const Options& options) {
  const auto recipe = budget::recipe_of(kernel);
  if (!recipe) throw UsageError(fmt::format("--causes: {} declares no recipe that can be emulated", kernel.name));
  budget::CauseOptions causes;
  causes.first_seed = options.budget.first_seed, causes.seeds = options.cause_seeds;
  causes.threads = static_cast<int>(job_count(options.budget.jobs));
  c.causes = budget::stored_causes(budget::split_by_cause(*recipe, c.run, causes));
}

void run(const Options& options) {
  if (options.budget.kernel.empty()) throw UsageError("--kernel: name the kernel to measure; `xqacheck list kernels`");
  const std::uint64_t count = sample_count(options.budget);
  require_seed("--first-seed", options.budget.first_seed);
  Runners runners = make_budget_runners(options.budget.kernel, options.budget.jobs);
  const std::vector<reference::RunLine> runs = chosen_configurations(options.budget, *runners.front());
  if (!options.out.empty()) require_writable(options.out);
  std::unique_ptr<JsonLinesFile> json;
  const xqacheck_description& kernel = runners.front()->description();
  if (!options.json.empty())
    json = std::make_unique<JsonLinesFile>(options.json,
                                           header_of(*runners.front(), options.budget.kernel, runs.size(), options));
  budget::Budget result;
  Tally tally;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const budget::SampleSet set = sample(runs[i], runners, options.budget, count);
    tally.add_case(set.status == RunStatus::ok);
    if (set.status != RunStatus::ok) {
      fmt::print("\n{}\n  not measured: {}\n", reference::print_run_line(runs[i]), set.why);
      if (set.status != RunStatus::unsupported) set_exit_code(static_cast<int>(ExitCode::failed));
      continue;
    }
    budget::ConfigurationBudget c = budget::budget_of(runs[i], options.budget.first_seed, set);
    if (options.cause_seeds > 0) add_causes(c, kernel, options);
    print(c, set);
    if (json) json->add_record(budget::record_of(c, set, kernel.name, i));
    if (json && !c.causes.empty()) json->add_record(budget::record_of_stored_causes(c, kernel.name, i));
    if (result.provenance.kernel.empty()) result.provenance = budget::provenance_of(kernel, set.route, command_line());
    result.configurations.push_back(std::move(c));
  }
  if (result.configurations.empty()) {
    fmt::print("\nnothing was measured: the kernel takes none of the configurations\n");
    return set_exit_code(static_cast<int>(ExitCode::too_little));
  }
  if (options.out.empty()) return;
  result.provenance.note = options.note;
  write_file_atomically(options.out, budget::text_of(result));
  fmt::print("\nbudget: {} ({} configurations)\n", options.out, result.configurations.size());
}

}  // namespace

void add_budget_measure_command(CLI::App& budget) {
  auto options = std::make_shared<Options>();
  CLI::App* command = budget.add_subcommand("measure", "Measure a kernel's errors over seeds; write a budget file");
  add_kernel_option(*command, options->budget);
  add_configuration_options(*command, options->budget);
  add_sampling_options(*command, options->budget);
  add_device_option(*command);
  command->add_option("--first-seed", options->budget.first_seed, "Seed of the first sample (1)")->type_name("N");
  command->add_option("--out", options->out, "Write a budget file")->type_name("FILE");
  command->add_option("--note", options->note, "Free text for the provenance of the file")->type_name("TEXT");
  command->add_option("--causes", options->cause_seeds, "Also split the error by cause, with so many seeds (no)")
      ->type_name("N")
      ->check(CLI::Range(2, 1000));
  command->add_option("--json", options->json, "Write what was measured as JSON lines (doc/results-format.md)")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  xqacheck budget measure --kernel emu-qgmma --out budgets/qgmma.json\n"
      "  xqacheck budget measure --kernel ./mine.so --case 'xqa/1 heads=16/2 len=4096x2 kv=e4m3 data=outlier'\n"
      "  xqacheck budget measure --kernel emu-qgmma --case 'xqa/1 heads=8/1 kv=e4m3' --ladder 64..131072 --samples 16\n"
      "Exit code: 0 measured; 1 the kernel crashed; 2 usage; 3 environment; 4 nothing could be measured.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
