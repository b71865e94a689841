// xqacheck ptx replay: recorded calls of the public mma.sync kernel, run from its PTX and compared bit for bit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/ptx_command.hpp"
#include "cli/ptx_options.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/replay/replay.hpp"
#include "emulation/ptx/replay/xqa_launch.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {
namespace {

struct Options : PtxOptions {
  std::vector<std::string> recordings;
  std::string ptx;
};

// The PTX for a recording; "" when the folder has none.
std::string ptx_for(const Options& options, const emulation::Recording& recording) {
  if (!std::filesystem::is_directory(options.ptx)) return options.ptx;
  const auto path = std::filesystem::path(options.ptx) / (ptx::xqa_configuration(recording) + ".ptx");
  return std::filesystem::exists(path) ? path.string() : "";
}

// "6 overwrite-in-flight, 2 race"
std::string kinds_text(const std::vector<ptx::Finding>& findings) {
  std::map<std::string, std::size_t> places;
  for (const auto& finding : findings) ++places[name_of(finding.kind)];
  std::string text;
  for (const auto& [kind, count] : places) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  return text;
}

// True when bits are equal and there is no finding that nobody knows.
bool report(FindingReport& findings, const emulation::Recording& recording, const ptx::PtxReplay& result) {
  std::vector<std::string> lines;
  const auto count = findings.sort(result.findings, lines);
  const bool equal = result.differing_schedules == 0 && result.fault.empty();
  fmt::print("{:9} {:>7} {:>7}  {:>3} schedules  {:>3} findings{}  {:>8} instructions  {:.3f} s  {}\n", equal ? "EQUAL" : "DIFFERENT",
             result.comparison.elements, result.comparison.differing, result.schedules, count.unknown,
             count.known != 0 ? fmt::format(" (+{} known)", count.known) : "", result.instructions / result.schedules,
             result.seconds / result.schedules, recording.name);
  if (!result.fault.empty()) fmt::print("          {}\n", result.fault);
  if (result.differing_schedules != 0)
    fmt::print("          {} schedules differ, the first is {}\n", result.differing_schedules, result.differing_schedule);
  if (const auto& first = result.comparison.first)
    fmt::print("          first at request {}, row {}, head {}, dim {}: recorded {:#x}, here {:#x}; {} ulps at most\n", first->request, first->row,
               first->head, first->dim, first->recorded, first->emulated, result.comparison.most_ulps);
  if (!result.findings.empty()) fmt::print("          by kind: {}\n", kinds_text(result.findings));
  for (const std::string& line : lines) fmt::print("          {}\n", line);
  return equal && count.unknown == 0;
}

void run(const Options& options) {
  const auto schedules = options.schedule_list();
  ptx::PtxReplayOptions how;
  how.checks = !options.no_checks;
  how.watch = options.watch_list();
  how.say = [](const std::string& line) { fmt::print("{}\n", line); };
  FindingReport findings(options.known_findings());
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
    good += report(findings, recording, ptx::replay_from_ptx(module, recording, schedules, how)) ? 1 : 0;
  }
  fmt::print("{} recordings, {} equal without {}findings, {} not\n", done, good, options.known.empty() ? "" : "unknown ", done - good);
  for (const std::string& line : findings.never_seen()) fmt::print("known, but never seen in this run: {}\n", line);
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
  options->add_to(*command);
  command->footer("Exit code: 0 every bit is equal and there is no finding, or none but known ones; 1 otherwise; 2 usage; 3 environment.");
  command->callback([options] { with_ptx_errors([&] { run(*options); }); });
}

}  // namespace xqacheck::cli
