#include "cli/record_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "emulation/recording/recording.hpp"
#include "properties/errors.hpp"
#include "properties/trial.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::cli {

std::uint32_t record_runs(const std::string& folder, const std::string& kernel, properties::Runner& runner,
                          const std::vector<std::uint64_t>& numbers,
                          const std::function<reference::RunLine(std::uint64_t)>& case_number) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw properties::EnvironmentError(fmt::format("--record {}: {}", folder, error.message()));
  std::uint32_t written = 0;
  for (const std::uint64_t number : numbers) {
    properties::Trial trial(case_number(number), runner);
    const properties::Outcome& outcome = trial.plain_run();
    if (outcome.status != properties::RunStatus::ok) continue;  // the verdicts say why there is no output
    emulation::RecordingSource source;
    source.kernel = outcome.route.kernel, source.version = outcome.route.version, source.device = outcome.route.device;
    source.case_line = reference::print_case(trial.subject());
    source.recipe = trial.kernel().recipe;
    source.splits = outcome.route.splits;
    const std::string path = fmt::format("{}/{}-{:06}.safetensors", folder, kernel, number);
    try {
      emulation::write_recording(path, trial.problem(), source, outcome.out, outcome.lse);
    } catch (const emulation::RecordingError& failure) {
      throw properties::EnvironmentError(fmt::format("--record {}: {}", folder, failure.what()));
    }
    ++written;
  }
  return written;
}

}  // namespace xqacheck::cli
