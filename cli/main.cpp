// xqacheck: parses the command line, runs one command, turns errors into exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

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

// CLI11 only says that a command is missing; a person who mistyped one wants to hear which. "" for a known command.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* level = &app;
  for (int i = 1; i < argc && argv[i][0] != '-' && !level->get_subcommands({}).empty(); ++i) {
    const CLI::App* next = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* command : level->get_subcommands({})) {
      names.push_back(command->get_name());
      if (names.back() == argv[i]) next = command;
    }
    if (next == nullptr) {
      const std::string near = xqacheck::reference::nearest_of(argv[i], {names.begin(), names.end()});
      return fmt::format("no command '{}'; there are {}{}", xqacheck::reference::printable(argv[i]),
                         fmt::join(names, ", "), near.empty() ? "" : " (did you mean '" + near + "'?)");
    }
    level = next;
  }
  return "";
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
  cli::add_report_command(app);
  cli::add_list_command(app);
  cli::add_replay_command(app);
  cli::add_plan_command(app);
  cli::add_precompile_command(app);
  cli::add_perf_command(app);
  cli::add_run_command(app);
  cli::add_arith_command(app);
  cli::add_probe_command(app);
  cli::add_ptx_command(app);
  cli::add_budget_command(app);
  if (const std::string unknown = unknown_command(app, argc, argv); !unknown.empty())
    return complain(properties::UsageError(unknown), kUsage);
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
