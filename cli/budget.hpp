// The commands below `xqacheck budget`.
#pragma once

namespace CLI {
class App;
}

namespace xqacheck::cli {

void add_budget_measure_command(CLI::App& budget);
void add_budget_check_command(CLI::App& budget);
void add_budget_explain_command(CLI::App& budget);

}  // namespace xqacheck::cli
