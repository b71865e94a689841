// xqacheck budget: error statistics of quantised attention, and the gate on them.
#include "cli/budget.hpp"

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

namespace xqacheck::cli {

void add_budget_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("budget", "Accuracy budgets: measure errors, gate them, explain them");
  command->require_subcommand(1);
  add_budget_measure_command(*command);
  add_budget_check_command(*command);
  add_budget_explain_command(*command);
  command->footer("`xqacheck budget COMMAND --help` has more; doc/fp8-budgets.md says how to choose a budget.");
}

}  // namespace xqacheck::cli
