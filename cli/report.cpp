// xqacheck report: one HTML page about result files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "properties/errors.hpp"
#include "properties/report/atomic_file.hpp"
#include "properties/report/header.hpp"
#include "properties/report/html/page.hpp"
#include "properties/report/html/report_data.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  std::vector<std::string> results;
  std::string output = "report.html";
};

void run(const Options& options) {
  std::vector<html::ResultText> files;
  for (const std::string& path : options.results) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, options.output, ignored))
      throw UsageError(fmt::format("-o {}: is one of the result files; the page needs a file of its own", path));
    files.push_back({path, read_whole_file(path)});
  }
  const html::ReportData data = html::gather(files, utc_now());
  write_file_atomically(options.output, html::page(data.json));
  for (const std::string& warning : data.warnings) fmt::print(stderr, "xqacheck: {}\n", warning);
  fmt::print("report: {}\n", options.output);
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "Make an HTML page of result files");
  command->add_option("results", options->results, "JSON Lines files of verify, budget or perf (--json)")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "The page; one file that needs nothing else (report.html)")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  xqacheck report verify.jsonl\n"
      "  xqacheck report part1.jsonl part2.jsonl budget.jsonl -o nightly.html\n"
      "Exit code: 0 written, whatever the verdicts in it are; 2 a file that is no result; 3 a file that cannot be read "
      "or written.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
