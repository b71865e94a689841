// One file per command; each adds its subcommand, options and callback to the application.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace xqacheck::cli {

// What `xqacheck` exits with when the callback returns normally (default 0): 1 failed, 4 too little ran. Usage (2) and
// environment (3) errors are thrown: properties/errors.hpp.
void set_exit_code(int code);
int exit_code();

// What was typed, for result files.
void set_command_line(int argc, char** argv);
const std::vector<std::string>& command_line();

void add_arith_command(CLI::App& app);
void add_budget_command(CLI::App& app);
void add_probe_command(CLI::App& app);
void add_ptx_command(CLI::App& app);
void add_replay_command(CLI::App& app);
void add_diff_command(CLI::App& app);
void add_list_command(CLI::App& app);
void add_plan_command(CLI::App& app);
void add_precompile_command(CLI::App& app);
void add_perf_command(CLI::App& app);
void add_run_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_repro_command(CLI::App& app);
void add_verify_command(CLI::App& app);

}  // namespace xqacheck::cli
