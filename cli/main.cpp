// xqacheck: parses the command line, runs one command, turns errors into exit codes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.hpp"
#include "properties/errors.hpp"
#include "properties/tool_version.hpp"
#include "reference/case_error.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kEnvironment = 3;

int complain(const std::exception& error, int code) {
  std::fflush(stdout);
  fmt::print(stderr, "xqacheck: {}\n", error.what());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace xqacheck;
  CLI::App app{"Proves that a decode-attention GPU kernel computes what it should, and says exactly where it does not"};
  app.set_version_flag("--version", properties::tool_version());
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  xqacheck verify --cases 1000\n"
      "  xqacheck verify --kernel ./mykernel.so --junit result.xml\n"
      "  xqacheck repro 'xqa/1 len=513 kv=e4m3 seed=7 @ kernel=flash32 prop=golden'\n"
      "  xqacheck diff ./old.so ./new.so\n"
      "`xqacheck COMMAND --help` has more. Exit codes: doc/verdicts.md.");
  cli::set_command_line(argc, argv);
  cli::add_verify_command(app);
  cli::add_repro_command(app);
  cli::add_diff_command(app);
  cli::add_list_command(app);
  cli::add_replay_command(app);
  cli::add_arith_command(app);
  cli::add_probe_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kUsage;
  } catch (const properties::UsageError& error) {
    return complain(error, kUsage);
  } catch (const reference::CaseError& error) {
    return complain(error, kUsage);
  } catch (const std::exception& error) {
    return complain(error, kEnvironment);
  }
  return cli::exit_code();
}
