// xqacheck probe ...: runs the program xqacheck-probe that lies beside this one. It is a program of its own because it
// is linked with the CUDA runtime, and the rest of xqacheck should start anywhere.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {

namespace {

[[noreturn]] void replace_process(const std::vector<std::string>& arguments) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path program = self.parent_path() / "xqacheck-probe";
  if (error || !std::filesystem::exists(program)) {
    throw properties::EnvironmentError(fmt::format(
        "probe: this build has no GPU part ({} does not exist); install the CUDA Toolkit and configure with "
        "-DXQACHECK_CUDA=ON",
        program.string()));
  }
  std::vector<char*> argv;
  std::vector<std::string> owned = arguments;
  owned.insert(owned.begin(), program.string());
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execv(program.c_str(), argv.data());
  throw properties::EnvironmentError(
      fmt::format("probe: {} cannot be run: {}", program.string(), std::strerror(errno)));
}

}  // namespace

void add_probe_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "probe", "Check that this GPU's matrix and special-function units compute as the library says, bit for bit");
  command->prefix_command();   // every option goes to the program,
  command->set_help_flag("");  // --help too
  command->callback([command] { replace_process(command->remaining()); });
}

}  // namespace xqacheck::cli
