// xqacheck perf: how fast kernels are on a GPU, side by side, against a copy measured in the same run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/device_kernels.hpp"
#include "cli/kernel_runners.hpp"
#include "properties/case_steps.hpp"
#include "properties/errors.hpp"
#include "properties/perf/perf_report.hpp"
#include "properties/property.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/report/header.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

// Decode shapes from latency-bound to memory-bound: one request and a full batch, short and long.
constexpr const char* kUsualCases[] = {"xqa/1 heads=8/1 len=1024", "xqa/1 heads=8/1 len=8192", "xqa/1 heads=32/4 len=4096x8",
                                       "xqa/1 heads=32/4 kv=e4m3 len=4096x8", "xqa/1 heads=32/4 len=4096x64"};

constexpr std::uint32_t kCheckedTokens = 300;  // the check before timing: a golden result in milliseconds

struct Options {
  InProcessOptions runs;
  perf::MeasureOptions measure;
  std::string json;
  double rotation_mebibytes = 0;
  bool in_stream = false, no_check = false;
};

void check_options(Options& options) {
  if (options.runs.lines.empty() && options.runs.corpora.empty())
    options.runs.lines.assign(std::begin(kUsualCases), std::end(kUsualCases));
  const auto within = [](const char* name, double value, double least, double most) {
    if (!(value >= least && value <= most))
      throw UsageError(fmt::format("{} {:g}: needs a number from {:g} to {:g}", name, value, least, most));
  };
  within("--samples", options.measure.samples, 3, 10000);  // quartiles need three
  within("--launches", options.measure.launches, 1, 10000);
  within("--warm-up", options.measure.warm_up_milliseconds, 0, 60000);
  within("--rotation", options.rotation_mebibytes, 0, 1 << 20);
  options.measure.rotation_bytes = static_cast<std::uint64_t>(options.rotation_mebibytes * (1 << 20));
  options.measure.in_graph = !options.in_stream;
  if (!options.json.empty()) require_writable(options.json);
}

reference::Case shortened(reference::Case c) {
  const reference::Case whole = c;
  for (std::uint32_t& length : c.lens) length = std::min(length, kCheckedTokens);
  c.lens.resize(std::min<std::size_t>(c.lens.size(), 2));
  c.capacity = 0;
  c = reference::settled(c);
  return is_consistent(c) ? c : whole;  // ragged drafts, trees a request: the case as it is
}

// A wrong kernel has no speed: the golden property on a short form of the case, in a worker process. "" or what is wrong.
std::string check(Runner& runner, const DeviceKernel& kernel, const NamedCase& named) {
  reference::RunLine run;
  run.subject = shortened(reference::parse_case(named.line));
  run.kernel = kernel.spec;
  if (named.splits != 0) run.plan = std::to_string(named.splits);
  Trial trial(run, runner);
  const Verdict verdict = judge_property(*property_named("golden"), trial);
  if (!is_failure(verdict.status)) return "";
  return fmt::format("{} is {} here, so its time means nothing: {}\n  xqacheck repro '{}'", kernel.table->describe()->name,
                     name_of(verdict.status), verdict.message, verdict.run_line);
}

bool all_right(const std::vector<DeviceKernel>& kernels, const std::vector<NamedCase>& cases) {
  bool right = true;
  for (const DeviceKernel& kernel : kernels) {
    Runners runners = make_runners(kernel.spec, 1);
    for (const NamedCase& named : cases) {
      const std::string wrong = check(*runners.front(), kernel, named);
      if (wrong.empty()) continue;
      fmt::print("{}\n", wrong);
      right = false;
    }
  }
  return right;
}

perf::PerfReport report_of(const Options& options, const std::vector<DeviceKernel>& kernels,
                           kernels::launch::Device& device) {
  perf::PerfReport report;
  report.command = command_line();
  report.device = kernels::launch::text_of(device.info());
  report.toolkit = toolkit_name();
  report.host = host_name(), report.started = utc_now();
  for (const DeviceKernel& kernel : kernels) report.sources.push_back(kernel.source);
  report.options = options.measure;
  return report;
}

void run(Options options) {
  check_options(options);
  const std::vector<NamedCase> cases = named_cases(options.runs);
  const std::vector<DeviceKernel> kernels = load_device_kernels(options.runs);
  const auto device = open_device(options.runs, "xqacheck perf");
  if (!options.no_check && !all_right(kernels, cases)) return set_exit_code(1);
  std::vector<const xqacheck_kernel*> tables;
  for (const DeviceKernel& kernel : kernels) tables.push_back(kernel.table);
  perf::PerfReport report = report_of(options, kernels, *device);
  std::size_t timed = 0;
  try {
    report.copy = perf::measure_copy(*device, options.measure);
    for (const NamedCase& named : cases) {
      perf::MeasureOptions measure = options.measure;
      if (named.splits != 0) measure.forced_splits = named.splits;
      reference::Problem problem = reference::make_problem(reference::parse_case(named.line));
      problem.description.sm_count = device->info().sm_count;
      perf::CaseTiming timing = perf::measure(*device, problem, tables, measure);
      timing.case_line = named.line + (named.splits != 0 ? fmt::format(" @ plan={}", named.splits) : "");
      for (const perf::Timing& kernel : timing.kernels) timed += kernel.refused.empty();
      report.cases.push_back(std::move(timing));
    }
  } catch (const kernels::launch::DeviceError& error) {
    throw EnvironmentError(fmt::format("the GPU reports {}", error.what()));
  }
  fmt::print("{}", perf::table_of(report));
  if (!options.json.empty()) {
    write_file_atomically(options.json, perf::json_of(report));
    fmt::print("\nresults: {}\n", options.json);
  }
  if (timed == 0) set_exit_code(4);
}

}  // namespace

void add_perf_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("perf", "Time kernels on a GPU, side by side");
  add_in_process_options(*command, options->runs);
  command->add_option("--samples", options->measure.samples, "Samples of each kernel and case (31)")->type_name("N");
  command->add_option("--launches", options->measure.launches, "Least launches in a sample (20)")->type_name("N");
  command->add_option("--warm-up", options->measure.warm_up_milliseconds, "Milliseconds before the first sample (50)")
      ->type_name("MS");
  command->add_option("--rotation", options->rotation_mebibytes, "MiB of copies of the problem (4 x the level 2 cache)")
      ->type_name("MIB");
  command->add_flag("--stream", options->in_stream, "Launch one by one instead of replaying a graph: adds launch costs");
  command->add_flag("--no-check", options->no_check, "Time without judging the kernels first");
  command->add_option("--json", options->json, "Write the figures as JSON (doc/perf.md)")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  xqacheck perf --kernel mmha\n"
      "  xqacheck perf --kernel ./old.so --kernel ./new.so --case 'xqa/1 heads=32/4 len=8192x16 kv=e4m3' --json perf.json\n"
      "Exit code: 0 timed; 1 a kernel is wrong; 2 usage; 3 no GPU, or the GPU reports an error; 4 no kernel takes any case.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
