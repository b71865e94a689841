// xqacheck ptx replay: recorded calls of the public mma.sync kernel, run from its PTX and compared bit for bit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/ptx_command.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/replay/replay.hpp"
#include "emulation/ptx/replay/xqa_launch.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {
namespace {

struct Options {
  std::vector<std::string> recordings, allow;
  std::string ptx, schedule;
  std::uint32_t schedules = 1;
  bool no_checks = false;
};

std::vector<ptx::ScheduleSpec> schedules_of(const Options& options) {
  if (options.schedule.empty()) return ptx::standard_schedules(std::max(options.schedules, 1u));
  ptx::ScheduleSpec spec;
  std::string why;
  if (!ptx::parse_schedule(options.schedule, spec, why)) throw properties::UsageError("--schedule: " + why);
  return {spec};
}

// The PTX for a recording; "" when the folder has none.
std::string ptx_for(const Options& options, const emulation::Recording& recording) {
  if (!std::filesystem::is_directory(options.ptx)) return options.ptx;
  const auto path = std::filesystem::path(options.ptx) / (ptx::xqa_configuration(recording) + ".ptx");
  return std::filesystem::exists(path) ? path.string() : "";
}

// True when bits are equal and no finding counts.
bool report(const Options& options, const emulation::Recording& recording, const ptx::PtxReplay& result) {
  std::uint64_t counted = 0, allowed = 0;
  for (const auto& finding : result.findings) {
    const bool fine = std::find(options.allow.begin(), options.allow.end(), name_of(finding.kind)) != options.allow.end();
    ++(fine ? allowed : counted);
  }
  const bool equal = result.differing_schedules == 0 && result.fault.empty();
  fmt::print("{:9} {:>7} {:>7}  {:>3} schedules  {:>3} findings{}  {:>8} instructions  {:.3f} s  {}\n", equal ? "EQUAL" : "DIFFERENT",
             result.comparison.elements, result.comparison.differing, result.schedules, counted,
             allowed != 0 ? fmt::format(" (+{} allowed)", allowed) : "", result.instructions / result.schedules,
             result.seconds / result.schedules, recording.name);
  if (!result.fault.empty()) fmt::print("          {}\n", result.fault);
  if (result.differing_schedules != 0)
    fmt::print("          {} schedules differ, the first is {}\n", result.differing_schedules, result.differing_schedule);
  constexpr std::size_t kShown = 20;  // a broken kernel has many of one kind
  std::size_t shown = 0;
  for (const auto& finding : result.findings)
    if (shown++ < kShown) fmt::print("          {}\n", to_text(finding));
  if (result.findings.size() > kShown) fmt::print("          … and {} more\n", result.findings.size() - kShown);
  return equal && counted == 0;
}

void run(const Options& options) {
  const auto schedules = schedules_of(options);
  std::uint32_t done = 0, good = 0, others = 0, without = 0;
  for (const std::string& path : emulation::find_recordings(options.recordings)) {
    const emulation::Recording recording = emulation::read_recording(path);
    if (recording.kernel != "hmma") {
      ++others;
      continue;
    }
    const std::string file = ptx_for(options, recording);
    if (file.empty()) {
      ++without;
      continue;
    }
    const ptx::Module module = ptx::parse_file(file);
    ++done;
    good += report(options, recording, ptx::replay_from_ptx(module, recording, schedules, !options.no_checks)) ? 1 : 0;
  }
  fmt::print("{} recordings, {} equal without findings, {} not\n", done, good, done - good);
  if (others != 0) fmt::print("{} recordings of other kernels were left out\n", others);
  if (without != 0) fmt::print("{} recordings were left out: the folder has no PTX of their configuration\n", without);
  if (done == 0) throw properties::EnvironmentError("ptx replay: no recording has its PTX in " + options.ptx);
  set_exit_code(done == good ? 0 : 1);
}

}  // namespace

void add_ptx_replay_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("replay", "Run recorded calls of the public mma.sync kernel from its PTX and compare bits");
  command->add_option("--ptx", options->ptx, "PTX file, or a folder with files named by configuration (doc/ptx-machine.md)")
      ->required()
      ->check(CLI::ExistingPath)
      ->type_name("DIR|FILE");
  command->add_option("recordings", options->recordings, "Recordings or folders of them")->required()->type_name("FILE|DIR");
  command->add_option("--schedules", options->schedules, "Run under so many schedules of the standard list (1)")->type_name("N");
  command->add_option("--schedule", options->schedule, "One schedule by name, such as random:17")->type_name("NAME[:SEED]");
  command->add_flag("--no-checks", options->no_checks, "Only compute: no checks of accesses");
  command->add_option("--allow", options->allow, "Kinds of findings that are known and do not fail, such as overwrite-in-flight")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KIND");
  command->footer("Exit code: 0 every bit is equal and there is no finding; 1 otherwise; 2 usage; 3 environment.");
  command->callback([options] {
    try {
      run(*options);
    } catch (const ptx::PtxError& error) {
      throw properties::UsageError(error.what());
    }
  });
}

}  // namespace xqacheck::cli
