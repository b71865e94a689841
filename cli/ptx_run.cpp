// xqacheck ptx run: a kernel given as a .ptx file with a launch description.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/ptx_command.hpp"
#include "cli/ptx_options.hpp"
#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/front/text_file.hpp"
#include "emulation/ptx/launch/description.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {
namespace {

struct Options : PtxOptions {
  std::string file, launch;
};

struct Outcome {
  std::map<std::string, std::vector<std::byte>> contents;
  std::vector<ptx::Finding> findings;
  std::string fault;
  std::uint64_t instructions = 0;
};

Outcome run_once(const ptx::Module& module, const ptx::LaunchDescription& description, const ptx::ScheduleSpec& spec,
                 bool checks, const std::vector<ptx::WatchRange>& watched) {
  Outcome outcome;
  ptx::Checker checker;
  ptx::Machine machine;
  std::optional<ptx::Watch> watch;
  if (checks) machine.set_monitor(&checker);
  if (!watched.empty()) {
    watch.emplace(machine, checker, watched, [](const std::string& line) { fmt::print("  {}\n", line); });
    machine.set_monitor(&*watch);
  }
  const auto schedule = ptx::make_schedule(spec);
  machine.set_schedule(schedule.get());
  ptx::LoadedModule loaded(machine, module);
  try {
    outcome.contents = ptx::run_description(machine, loaded, description);
  } catch (const ptx::MachineFault& fault) {
    outcome.fault = fault.what();
  }
  if (watch) watch->check_ranges();
  outcome.findings = checker.findings();
  outcome.instructions = machine.instructions();
  return outcome;
}

// Only outputs that a schedule cannot change are worth a file: all of them are compared first.
void write_outputs(const ptx::LaunchDescription& description, const Outcome& outcome) {
  for (const auto& buffer : description.buffers) {
    if (buffer.output.empty()) continue;
    const auto& bytes = outcome.contents.at(buffer.name);
    std::ofstream file(buffer.output, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw properties::EnvironmentError(fmt::format("ptx run: {} cannot be written", buffer.output));
    fmt::print("{}: {} bytes to {}\n", buffer.name, bytes.size(), buffer.output);
  }
}

void run(const Options& options) {
  const ptx::Module module = ptx::parse_file(options.file);
  const auto folder = std::filesystem::path(options.launch).parent_path();
  const ptx::LaunchDescription description = ptx::parse_description(ptx::read_text_file(options.launch), folder.empty() ? "." : folder.string());
  Outcome first;
  bool failed = false, have_first = false;
  const auto watched = options.watch_list();
  FindingReport findings(options.known_findings());
  for (const auto& spec : options.schedule_list()) {
    Outcome outcome = run_once(module, description, spec, !options.no_checks, watched);
    std::vector<std::string> lines;
    const auto count = findings.sort(outcome.findings, lines);
    fmt::print("{}: {} warp instructions, {} findings{}{}\n", to_text(spec), outcome.instructions, count.unknown,
               count.known != 0 ? fmt::format(" (+{} known)", count.known) : "", outcome.fault.empty() ? "" : ", stopped");
    for (const std::string& line : lines) fmt::print("  {}\n", line);
    if (!outcome.fault.empty()) fmt::print("  {}\n", outcome.fault);
    failed = failed || count.unknown != 0 || !outcome.fault.empty();
    if (have_first && outcome.fault.empty() && first.fault.empty() && outcome.contents != first.contents) {
      failed = true;
      for (const auto& [name, bytes] : outcome.contents)
        if (bytes != first.contents.at(name)) fmt::print("  buffer {} differs from the first schedule's\n", name);
    }
    if (!have_first) first = std::move(outcome), have_first = true;
  }
  for (const std::string& line : findings.never_seen()) fmt::print("known, but never seen in this run: {}\n", line);
  if (first.fault.empty()) write_outputs(description, first);
  set_exit_code(failed ? 1 : 0);
}

}  // namespace

void add_ptx_run_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* command = parent.add_subcommand("run", "Run a kernel from its PTX with a launch description");
  command->add_option("file", options->file, "The PTX")->required()->type_name("FILE.ptx");
  command->add_option("--launch", options->launch, "Launch description (doc/ptx-machine.md)")->required()->type_name("FILE.json");
  options->add_to(*command);
  command->footer("Exit code: 0 no finding (but known ones) and the same bytes under every schedule; 1 otherwise; 2 usage; 3 environment.");
  command->callback([options] { with_ptx_errors([&] { run(*options); }); });
}

}  // namespace xqacheck::cli
