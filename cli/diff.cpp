// xqacheck diff: two builds of a kernel, bit for bit, over the same cases.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/case_source.hpp"
#include "cli/commands.hpp"
#include "cli/judging_options.hpp"
#include "cli/kernel_runners.hpp"
#include "cli/run_report.hpp"
#include "properties/diff_property.hpp"
#include "properties/report/explain.hpp"
#include "properties/restrict_profile.hpp"
#include "properties/shrink_failure.hpp"
#include "properties/tool_version.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  std::string first, second;
  bool no_shrink = false;
  CaseOptions cases;
  JudgingOptions judging;
  ReportOptions report;
};

Runners make_pairs(const Options& options) {
  const std::uint32_t jobs = job_count(options.judging.jobs);
  Runners first = make_runners(options.first, jobs), second = make_runners(options.second, jobs), pairs;
  for (std::uint32_t i = 0; i < jobs; ++i)
    pairs.push_back(std::make_unique<PairRunner>(std::move(first[i]), std::move(second[i])));
  return pairs;
}

std::string command_for(const Options& options, const reference::Case& subject) {
  return fmt::format("xqacheck diff {} {} --case {}", shell_quoted(options.first), shell_quoted(options.second),
                     shell_quoted(reference::print_case(subject)));
}

void run(const Options& options) {
  const CaseSource source(options.cases);
  const TrialOptions trial = trial_options(options.judging);
  Runners pairs = make_pairs(options);
  // Drawn for the first build: a feature that only the second one has is no difference of builds.
  Profile profile =
      source.random() > 0 && !options.cases.all_features ? probe_profile(*pairs.front()) : full_profile();
  if (source.random() > 0) restrict_profile(profile, options.cases.draws);
  const std::string name = pairs.front()->description().name;
  auto& pair = dynamic_cast<PairRunner&>(*pairs.front());
  RunHeader header;
  header.command = command_line(), header.seed = source.seed(), header.cases = source.total();
  header.shard = source.shard(), header.shards = source.shards(),
  header.jobs = static_cast<std::uint32_t>(pairs.size());
  header.properties = {"diff"};
  header.kernels = {info_of(pair.description(), options.first), info_of(pair.second().description(), options.second)};
  header.host = host_name(), header.started = utc_now();
  CampaignPlan plan;
  plan.numbers = source.numbers();
  plan.properties = {&diff_property};
  plan.options = trial;
  plan.case_number = [&](std::uint64_t number) {
    reference::RunLine line = source.at(number, options.first, profile).run;
    line.property.clear();  // a corpus names properties; here its cases count
    return line;
  };
  RunReport report(options.report, header, plan.numbers.size());
  report.say(fmt::format("xqacheck {}: {} and {}, bit for bit, on {} cases (seed {})", tool_version(), options.first,
                         options.second, plan.numbers.size(), source.seed()));
  run_campaign(plan, pairs, [&](const CaseResult& result) {
    report.add(name, result, command_for(options, result.verdicts.front().subject));
    return true;
  });
  for (const RunReport::Distinct& failure : report.failures()) {
    if (options.no_shrink) break;
    report.say("shrinking " + reference::print_case(failure.verdict.subject));
    reference::RunLine line = reference::parse_run_line(failure.verdict.run_line);
    const ShrunkFailure smaller = shrink_failure(diff_property, failure.verdict, line, pairs, plan.options);
    report.say(explain(smaller.verdict, command_for(options, smaller.how.smallest)));
  }
  set_exit_code(report.finish());
}

}  // namespace

void add_diff_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "Compare two builds of a kernel bit for bit");
  command->add_option("first", options->first, "The one kernel: a built-in name, ./plugin.so or ./plugin.so:name")
      ->required()
      ->type_name("KERNEL");
  command->add_option("second", options->second, "The other")->required()->type_name("KERNEL");
  command->add_flag("--no-shrink", options->no_shrink, "Show differing cases as they were found");
  add_case_options(*command, options->cases);
  add_run_options(*command, options->judging);
  add_report_options(*command, options->report);
  command->footer(
      "Examples:\n"
      "  xqacheck diff ./old.so ./new.so --cases 2000\n"
      "  xqacheck diff ./old.so ./new.so --case 'xqa/1 heads=8/1 len=513'\n"
      "Exit code: 0 same bits; 1 they differ; 2 usage; 3 environment; 4 too few cases ran on both.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
