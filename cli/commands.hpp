// One file per command; each adds its subcommand, options and callback to the application.
#pragma once

namespace CLI {
class App;
}

namespace xqacheck::cli {

// What `xqacheck` exits with when the callback returns normally (default 0): 1 failed, 4 too little ran. Usage (2) and
// environment (3) errors are thrown: properties/errors.hpp.
void set_exit_code(int code);
int exit_code();

void add_arith_command(CLI::App& app);
void add_probe_command(CLI::App& app);
void add_replay_command(CLI::App& app);

}  // namespace xqacheck::cli
