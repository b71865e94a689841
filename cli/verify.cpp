// xqacheck verify: judges kernels on given and random cases, shrinks and saves what fails.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/case_source.hpp"
#include "cli/commands.hpp"
#include "cli/judging_options.hpp"
#include "cli/kernel_runners.hpp"
#include "cli/record_runs.hpp"
#include "cli/resume.hpp"
#include "cli/run_report.hpp"
#include "cli/save_failures.hpp"
#include "properties/errors.hpp"
#include "properties/profile.hpp"
#include "properties/restrict_profile.hpp"
#include "properties/timed_campaign.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  std::vector<std::string> kernels;
  CaseOptions cases;
  JudgingOptions judging;
  ReportOptions report;
  SaveOptions save;
  std::string record;         // folder for recordings; "": none
  std::string record_calls;   // calls file; "": none
  double budget_seconds = 0;  // of judging all kernels; 0: no limit
};

struct KernelRun {
  std::string spec;  // as the run lines name it
  std::string name;  // as reports name it
  Runners runners;
  Profile profile;
};

KernelRun prepare(const std::string& spec, const Options& options, const CaseSource& source) {
  KernelRun kernel;
  kernel.spec = spec;
  kernel.runners = make_runners(spec, job_count(options.judging.jobs));
  kernel.name = kernel.runners.front()->description().name;
  const bool draws = source.random() > 0;
  kernel.profile = draws && !options.cases.all_features ? probe_profile(*kernel.runners.front()) : full_profile();
  if (draws) restrict_profile(kernel.profile, options.cases.draws);
  return kernel;
}

// Two plug-ins may hold a kernel of one name, as two builds of it do: their results are kept apart.
void tell_apart(std::vector<KernelRun>& kernels) {
  std::map<std::string, int> count;
  for (const KernelRun& kernel : kernels) ++count[kernel.name];
  for (KernelRun& kernel : kernels)
    if (count[kernel.name] > 1) kernel.name += fmt::format(" ({})", kernel.spec);
}

RunHeader header_of(const std::vector<KernelRun>& kernels, const Options& options, const CaseSource& source,
                    const std::vector<const Property*>& chosen) {
  RunHeader header;
  header.command = command_line();
  header.seed = source.seed(), header.cases = source.total();
  header.shard = source.shard(), header.shards = source.shards();
  header.jobs = job_count(options.judging.jobs);
  for (const Property* property : chosen) header.properties.emplace_back(property->id);
  for (const KernelRun& kernel : kernels) {
    const bool plugin = kernel.spec.find('/') != std::string::npos;
    header.kernels.push_back(info_of(kernel.runners.front()->description(), plugin ? kernel.spec : "built-in"));
    header.kernels.back().name = kernel.name;
    if (kernel.runners.front()->device() != "host") header.device = kernel.runners.front()->device();
    for (const std::string& feature : kernel.profile.left_out) header.left_out.push_back(kernel.name + ": " + feature);
  }
  header.host = host_name(), header.started = utc_now();
  return header;
}

void announce(const RunHeader& header, RunReport& report, std::size_t cases) {
  report.say(fmt::format("xqacheck {}: {} case{} (seed {}, part {} of {}), {} job{}, properties {}", tool_version(),
                         cases, cases == 1 ? "" : "s", header.seed, header.shard + 1, header.shards, header.jobs,
                         header.jobs == 1 ? "" : "s", fmt::join(header.properties, " ")));
  for (const KernelInfo& kernel : header.kernels)
    report.say(fmt::format("kernel {} {} ({}{}{}), {}", kernel.name, kernel.version, kernel.memory,
                           kernel.recipe.empty() ? "" : ", recipe ", kernel.recipe, kernel.source));
  if (header.device != "host") report.say("device " + header.device);
  constexpr std::size_t kShown = 8;  // the result file has them all
  for (std::size_t i = 0; i < std::min(kShown, header.left_out.size()); ++i)
    report.say("not drawn, unsupported: " + header.left_out[i]);
  if (header.left_out.size() > kShown)
    report.say(fmt::format("not drawn, unsupported: … and {} more", header.left_out.size() - kShown));
}

// Judges what is worth most a second until the kernel's part of the time is up, and says what it did not get to.
void judge_in_time(const CampaignPlan& plan, double seconds, KernelRun& kernel, RunReport& report) {
  const auto reached = run_timed_campaign(plan, seconds, kernel.runners,
                                          [&](const CaseResult& result) { report.add(kernel.name, result); });
  const std::string missed = not_reached(reached);
  report.say(missed.empty() ? fmt::format("{}: everything was judged within {:g} s", kernel.name, seconds)
                            : fmt::format("{}: time was up after {:g} s; judged {}", kernel.name, seconds, missed));
}

void check_budget(const Options& options) {
  if (options.budget_seconds == 0) return;
  constexpr double kLongest = 7 * 86400;  // a week
  if (!(options.budget_seconds > 0 && options.budget_seconds <= kLongest))
    throw UsageError(
        fmt::format("--budget-seconds {:g}: needs seconds above 0, at most {:g}", options.budget_seconds, kLongest));
  if (options.report.resume) throw UsageError("--budget-seconds: cannot go on with a killed run; leave out --resume");
}

void run(const Options& options) {
  check_budget(options);
  check_calls_path(options.record_calls);
  if (!options.record_calls.empty() && chosen_kernels(options.kernels).size() != 1)
    throw UsageError("--record-calls: a calls file holds one kernel's calls; give one --kernel");
  const CaseSource source(options.cases);
  const std::vector<const Property*> chosen = chosen_properties(options.judging);
  const TrialOptions trial = trial_options(options.judging);
  std::vector<KernelRun> kernels;
  for (const std::string& spec : chosen_kernels(options.kernels)) kernels.push_back(prepare(spec, options, source));
  tell_apart(kernels);
  const std::vector<std::uint64_t> numbers = source.numbers();
  const RunHeader header = header_of(kernels, options, source, chosen);
  const std::size_t verdicts_a_case = options.budget_seconds > 0 ? chosen.size() : 1;  // each of them is a result then
  RunReport report(options.report, header, numbers.size() * kernels.size() * verdicts_a_case);
  announce(header, report, numbers.size());
  for (KernelRun& kernel : kernels) {
    CampaignPlan plan;
    plan.properties = chosen;
    plan.options = trial;
    plan.case_number = [&](std::uint64_t number) { return source.at(number, kernel.spec, kernel.profile).run; };
    const Rest rest = replay_earlier(kernel.name, numbers, plan.case_number, report);
    plan.numbers = rest.numbers;
    if (options.budget_seconds > 0)
      judge_in_time(plan, options.budget_seconds / static_cast<double>(kernels.size()), kernel, report);
    else
      run_campaign(plan, kernel.runners, [&](const CaseResult& result) {
        report.add(kernel.name, result);
        return true;
      });
    if (!rest.done) save_failures(options.save, options.judging, kernel.name, kernel.runners, report);
    const RunsToRecord runs{kernel.name, *kernel.runners.front(), numbers, plan.case_number};
    if (!options.record.empty())
      report.say(fmt::format("{} runs of {} recorded in {}", record_to_folder(options.record, runs), kernel.name,
                             options.record));
    if (!options.record_calls.empty())
      report.say(fmt::format("{} calls of {} recorded in {}", record_to_calls(options.record_calls, runs), kernel.name,
                             options.record_calls));
  }
  set_exit_code(report.finish());
}

}  // namespace

void add_verify_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("verify", "Judge kernels on random and given cases");
  command
      ->add_option("--kernel", options->kernels,
                   "Built-in name, ./plugin.so or ./plugin.so:name; may be given several times; all: emulators too (no "
                   "emulators)")
      ->type_name("KERNEL");
  add_device_option(*command);
  add_case_options(*command, options->cases);
  add_judging_options(*command, options->judging);
  add_report_options(*command, options->report);
  add_save_options(*command, options->save);
  command
      ->add_option("--record", options->record,
                   "Also write every run as a recording into this folder (doc/recordings.md)")
      ->type_name("DIR");
  command
      ->add_option("--record-calls", options->record_calls,
                   "Also write every call as a line of this .calls.jsonl file: case line, hash of the inputs, output")
      ->type_name("FILE");
  command
      ->add_option(
          "--budget-seconds", options->budget_seconds,
          "Judge for so long, what finds most faults a second first, and say what was not reached (doc/verify.md)")
      ->type_name("SECONDS");
  command->footer(
      "Examples:\n"
      "  xqacheck verify --cases 1000 --seed 7\n"
      "  xqacheck verify --kernel ./mykernel.so --corpus nightly.txt --junit result.xml\n"
      "  xqacheck verify --kernel flash32 --case 'xqa/1 heads=16/2 len=513,64,0 kv=e4m3' --property golden,guard\n"
      "  xqacheck verify --cases 100000 --shard 3/16 --json part3.jsonl\n"
      "Exit code: 0 passed; 1 FAILED, CRASHED or HUNG; 2 usage; 3 environment; 4 too little ran or could be trusted.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
