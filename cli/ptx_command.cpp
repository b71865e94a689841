// xqacheck ptx ...: compiled kernels on the PTX machine, and what proves the machine.
#include "cli/ptx_command.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "cli/commands.hpp"
#include "emulation/ptx/front/error.hpp"
#include "properties/errors.hpp"
#include "properties/ptx/ptx_device.hpp"

namespace xqacheck::cli {

void with_ptx_errors(const std::function<void()>& command) {
  try {
    command();
  } catch (const ptx::PtxError& error) {
    throw properties::UsageError(error.what());
  }
}

std::unique_ptr<kernels::launch::Device> open_ptx_machine(bool checks) {
  try {
    return properties::ptx::open_ptx_device(properties::ptx::ptx_options_of_environment(checks));
  } catch (const std::invalid_argument& error) {
    throw properties::UsageError(error.what());
  }
}

void add_ptx_command(CLI::App& app) {
  CLI::App* ptx =
      app.add_subcommand("ptx", "Compiled kernels (PTX) on a CPU, bit for bit, and the micro-kernels that prove it");
  ptx->require_subcommand(1);
  add_ptx_forms_commands(*ptx);
  add_ptx_confirm_command(*ptx);
  add_ptx_replay_command(*ptx);
  add_ptx_contraction_command(*ptx);
  add_ptx_run_command(*ptx);
}

}  // namespace xqacheck::cli
