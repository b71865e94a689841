// xqacheck budget check: the gate on budget files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/budget.hpp"
#include "cli/budget_options.hpp"
#include "cli/commands.hpp"
#include "cli/kernel_runners.hpp"
#include "cli/run_report.hpp"
#include "properties/budget/causes.hpp"
#include "properties/budget/look.hpp"
#include "properties/budget/provenance.hpp"
#include "properties/budget/records.hpp"
#include "properties/errors.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  std::vector<std::string> files;
  BudgetOptions budget;
  ReportOptions report;
  std::uint64_t fresh = 0;  // --fresh: first seed, 0: those of the file
  bool update = false;
};

struct File {
  std::string path;
  budget::Budget budget;
};

// Budget files, or all of a folder.
std::vector<File> read_files(const Options& options) {
  std::vector<std::string> paths;
  for (const std::string& path : options.files) {
    std::error_code unreadable;  // reading says why
    if (!std::filesystem::is_directory(path, unreadable)) {
      paths.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".json") inside.push_back(entry.path());
    if (inside.empty()) throw UsageError(fmt::format("{}: no budget (*.json) in this folder", path));
    std::sort(inside.begin(), inside.end());
    paths.insert(paths.end(), inside.begin(), inside.end());
  }
  std::vector<File> files;
  for (const std::string& path : paths) files.push_back({path, budget::parse_budget(read_whole_file(path), path)});
  return files;
}

// The kernel that is checked: the one given, or the one of the file (a plug-in has to be given: its path may have
// changed).
std::string kernel_of(const Options& options, const File& file) {
  return options.budget.kernel.empty() ? file.budget.provenance.kernel : options.budget.kernel;
}

Runners runners_of(const Options& options, const File& file, std::uint32_t jobs) {
  try {
    return make_budget_runners(kernel_of(options, file), jobs);
  } catch (const UsageError&) {
    if (!options.budget.kernel.empty()) throw;
    throw UsageError(
        fmt::format("{}: was measured with '{}', which is not built in: give its plug-in with --kernel ./file.so",
                    file.path, file.budget.provenance.kernel));
  }
}

RunHeader header_of(const std::vector<File>& files, const Options& options) {
  RunHeader header;
  header.command = command_line(), header.properties = {"budget"}, header.jobs = job_count(options.budget.jobs);
  header.seed = options.fresh;
  for (const File& file : files) {
    header.cases += file.budget.configurations.size();
    const std::string spec = kernel_of(options, file);
    const Runners one = runners_of(options, file, 1);
    if (one.front()->device() != "host") header.device = one.front()->device();
    header.kernels.push_back(
        info_of(one.front()->description(), spec.find('/') != std::string::npos ? spec : "built-in"));
  }
  header.host = host_name(), header.started = utc_now();
  return header;
}

budget::Look look(const budget::ConfigurationBudget& c, const budget::Budget& file, Runners& runners,
                  const Options& options) {
  budget::LookOptions look;
  look.fresh = options.fresh, look.samples = sample_count(options.budget);
  if (options.update && look.samples == 0) look.samples = c.samples.size();  // what is written is what was measured
  look.false_alarm_rate = file.false_alarm_rate;
  look.sampling = sampling_options(options.budget);
  return budget::look_at(c, runners, look);
}

// Where the profile changed: what the recipe that the kernel declares now says about the causes.
void name_cause(const budget::ConfigurationBudget& c, const budget::Budget& file, const xqacheck_description& kernel,
                const Route& route, budget::ConfigurationFinding& finding, int threads) {
  const std::string recipe = budget::provenance_of(kernel, route, {}).recipe;
  if (recipe != file.provenance.recipe)
    finding.warnings.push_back(
        fmt::format("the kernel declares another recipe: '{}' before, now '{}'", file.provenance.recipe, recipe));
  const auto parsed = budget::recipe_of(kernel);
  if (!finding.profile_changed || c.causes.empty() || !parsed) return;
  budget::CauseOptions causes;
  constexpr std::uint64_t kSeeds = 4;
  causes.first_seed = c.first_seed, causes.seeds = kSeeds, causes.threads = threads;
  const std::string moved =
      budget::moved_cause(c.causes, budget::stored_causes(budget::split_by_cause(*parsed, c.run, causes)));
  if (!moved.empty()) finding.warnings.push_back("the split by cause changed: " + moved);
}

// A run that gave nothing, as a finding.
budget::ConfigurationFinding broken(const budget::ConfigurationBudget& c, const budget::SampleSet& set) {
  budget::ConfigurationFinding finding;
  Outcome outcome;
  outcome.status = set.status, outcome.why = set.why;
  finding.verdict = verdict_of_broken_run(outcome, fmt::format("with seed {}", set.failing_seed));
  finding.verdict.property = "budget", finding.verdict.subject = c.run.subject;
  return finding;
}

void say(const budget::ConfigurationFinding& f, const std::string& kernel, RunReport& report) {
  const Verdict& v = f.verdict;
  std::string line = fmt::format("{} {} {}", name_of(v.status), kernel, v.run_line);
  if (f.samples > 0)
    line += fmt::format("\n  {} samples{}{}", f.samples, f.paired ? "" : " of other seeds",
                        f.paired ? fmt::format(", {} with identical output", f.identical) : "");
  if (v.status == Status::mistrusted || v.status == Status::unsupported) line += "\n  " + v.message;
  for (const std::string& warning : f.warnings) line += "\n  warning: " + warning;
  report.say(line);
}

void run(const Options& options) {
  require_seed("--fresh", options.fresh);
  std::vector<File> files = read_files(options);
  if (options.update && options.fresh > 0)
    throw UsageError("--update: measures the seeds of the file; leave out --fresh");
  if (options.update)
    for (const File& file : files) require_writable(file.path);
  const RunHeader header = header_of(files, options);
  RunReport report(options.report, header, header.cases);
  report.say(fmt::format("xqacheck {}: {} budget file{}, {} configurations", tool_version(), files.size(),
                         files.size() == 1 ? "" : "s", header.cases));
  std::uint64_t number = 0;
  for (File& file : files) {
    const std::string spec = kernel_of(options, file);
    Runners runners = runners_of(options, file, header.jobs);
    const xqacheck_description& kernel = runners.front()->description();
    budget::Budget after = file.budget;
    for (std::size_t i = 0; i < file.budget.configurations.size(); ++i) {
      const budget::ConfigurationBudget& c = file.budget.configurations[i];
      const auto [set, found] = look(c, file.budget, runners, options);
      budget::ConfigurationFinding finding = set.status == RunStatus::ok ? found : broken(c, set);
      finding.verdict.run_line = budget::name_of(c);
      if (set.status == RunStatus::ok)
        name_cause(c, file.budget, kernel, set.route, finding, static_cast<int>(header.jobs));
      say(finding, kernel.name, report);
      CaseResult result{number, {finding.verdict}, finding.verdict.status != Status::unsupported};
      report.add(kernel.name, result, fmt::format("xqacheck budget check {} --kernel {}", file.path, spec));
      report.record(budget::record_of(finding, kernel.name, number));
      if (!c.causes.empty()) report.record(budget::record_of_stored_causes(c, file.budget.provenance.kernel, number));
      ++number;
      if (options.update && set.status == RunStatus::ok) {
        after.configurations[i] = budget::budget_of(c.run, c.first_seed, set, &c);
        after.configurations[i].causes = c.causes;
        const std::string note = file.budget.provenance.note;
        after.provenance = budget::provenance_of(kernel, set.route, command_line());
        after.provenance.note = note;
      }
    }
    if (!options.update) continue;
    const std::vector<std::string> changes = budget::difference(file.budget, after);
    report.say(fmt::format("{}: {}", file.path, changes.empty() ? "nothing changed, not written" : "updated"));
    for (const std::string& change : changes) report.say(change);
    if (!changes.empty()) write_file_atomically(file.path, budget::text_of(after));
  }
  const int code = report.finish();
  // What a new file says is no failure; a kernel that gave no numbers for it is.
  const bool broken_run =
      std::any_of(report.failures().begin(), report.failures().end(), [](const RunReport::Distinct& d) {
        return d.verdict.kind != "error rose" && d.verdict.kind != "over the limit";
      });
  set_exit_code(options.update && !broken_run ? 0 : code);
}

}  // namespace

void add_budget_check_command(CLI::App& budget) {
  auto options = std::make_shared<Options>();
  CLI::App* command = budget.add_subcommand("check", "Measure again and compare with budget files");
  command->add_option("files", options->files, "Budget files, or folders of them")->required()->type_name("FILE");
  add_kernel_option(*command, options->budget);
  add_sampling_options(*command, options->budget);
  add_device_option(*command);
  command
      ->add_option("--fresh", options->fresh,
                   "Take other seeds than the file's, from this one on: no comparison seed by seed")
      ->type_name("SEED");
  command->add_flag("--update", options->update,
                    "Replace what was measured and the limits that are not fixed; print what changes");
  add_report_options(*command, options->report);
  command->footer(
      "Examples:\n"
      "  xqacheck budget check fixtures/budgets\n"
      "  xqacheck budget check qgmma.json --kernel ./mine.so --json results.jsonl\n"
      "  xqacheck budget check qgmma.json --update\n"
      "Exit code: 0 within the budget; 1 over it, or the error rose; 2 usage; 3 environment; 4 too few samples to "
      "tell.\n"
      "With --update an error above the old budget is no failure: the new file says so.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
