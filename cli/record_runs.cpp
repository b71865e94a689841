#include "cli/record_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "emulation/recording/calls_file.hpp"
#include "emulation/recording/recording.hpp"
#include "properties/errors.hpp"
#include "properties/tool_version.hpp"
#include "properties/trial.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {
namespace {

using properties::EnvironmentError;

// Calls `write` with every run that gave an output; the verdicts say why the others gave none.
template <class Write>
std::uint32_t each_run(const char* option, const std::string& path, const RunsToRecord& runs, Write write) {
  std::uint32_t written = 0;
  for (const std::uint64_t number : runs.numbers) {
    properties::Trial trial(runs.case_number(number), runs.runner);
    const properties::Outcome& outcome = trial.plain_run();
    if (outcome.status != properties::RunStatus::ok) continue;
    emulation::RecordingSource source;
    source.kernel = outcome.route.kernel, source.version = outcome.route.version, source.device = outcome.route.device;
    source.case_line = reference::print_case(trial.subject());
    source.recipe = trial.kernel().recipe;
    source.splits = outcome.route.splits;
    try {
      write(number, trial.problem(), source, outcome);
    } catch (const emulation::RecordingError& failure) {
      throw EnvironmentError(fmt::format("{} {}: {}", option, path, failure.what()));
    }
    ++written;
  }
  return written;
}

// Names of plug-ins' kernels may hold their path.
std::string in_file_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == ' '; }, '_');
  return name;
}

}  // namespace

std::uint32_t record_to_folder(const std::string& folder, const RunsToRecord& runs) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw EnvironmentError(fmt::format("--record {}: {}", folder, error.message()));
  return each_run("--record", folder, runs,
                  [&](std::uint64_t number, const reference::Problem& problem, const emulation::RecordingSource& source,
                      const properties::Outcome& outcome) {
                    const std::string path =
                        fmt::format("{}/{}-{:06}.safetensors", folder, in_file_name(runs.kernel), number);
                    emulation::write_recording(path, problem, source, outcome.out, outcome.lse);
                  });
}

std::uint32_t record_to_calls(const std::string& path, const RunsToRecord& runs) {
  try {
    emulation::CallsWriter writer(path, properties::tool_version());
    return each_run("--record-calls", path, runs,
                    [&](std::uint64_t, const reference::Problem& problem, const emulation::RecordingSource& source,
                        const properties::Outcome& outcome) { writer.add(problem, source, outcome.out, outcome.lse); });
  } catch (const emulation::RecordingError& failure) {
    throw EnvironmentError(fmt::format("--record-calls {}", failure.what()));
  }
}

void check_calls_path(const std::string& path) {
  if (!path.empty() && !emulation::is_calls_file(path))
    throw properties::UsageError(fmt::format("--record-calls {}: the name must end in .calls.jsonl", path));
}

}  // namespace xqacheck::cli
