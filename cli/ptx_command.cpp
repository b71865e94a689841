// xqacheck ptx ...: compiled kernels on the PTX machine, and what proves the machine.
#include "cli/ptx_command.hpp"

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {

std::unique_ptr<kernels::launch::Device> open_ptx_machine() {
  throw properties::EnvironmentError("ptx: this build has no PTX machine yet");
}

void add_ptx_command(CLI::App& app) {
  CLI::App* ptx =
      app.add_subcommand("ptx", "Compiled kernels (PTX) on a CPU, bit for bit, and the micro-kernels that prove it");
  ptx->require_subcommand(1);
  add_ptx_forms_commands(*ptx);
}

}  // namespace xqacheck::cli
