// xqacheck: parses the command line, runs one command, turns errors into exit codes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.hpp"
#include "properties/errors.hpp"
#include "properties/tool_version.hpp"

int main(int argc, char** argv) {
  constexpr int kUsage = 2;
  constexpr int kEnvironment = 3;
  CLI::App app{"Proves that a decode-attention GPU kernel computes what it should, and says exactly where it does not"};
  app.set_version_flag("--version", xqacheck::properties::tool_version());
  app.require_subcommand(1);
  xqacheck::cli::add_arith_command(app);
  xqacheck::cli::add_probe_command(app);
  xqacheck::cli::add_replay_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kUsage;
  } catch (const xqacheck::properties::UsageError& error) {
    fmt::print(stderr, "xqacheck: {}\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "xqacheck: {}\n", error.what());
    return kEnvironment;
  }
  return xqacheck::cli::exit_code();
}
