// xqacheck arith FILE...: compares the arithmetic library with files of device-made vectors.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "emulation/arith/vectors.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {

namespace {

struct Options {
  std::vector<std::string> files;
};

// All files are read before anything is printed, so a bad one leaves no half-written table.
void run(const Options& options) {
  std::vector<arith::VectorFile> files;
  for (const std::string& path : options.files) {
    try {
      files.push_back(arith::read_vectors(path));
    } catch (const std::exception& error) {
      throw properties::UsageError(error.what());
    }
  }
  size_t records = 0;
  size_t mismatches = 0;
  fmt::print("{:>10} {:>10}  file\n", "records", "mismatches");
  for (size_t i = 0; i < files.size(); ++i) {
    const arith::VectorResult result = arith::check_vectors(files[i]);
    records += result.records;
    mismatches += result.mismatches;
    fmt::print("{:>10} {:>10}  {}\n", result.records, result.mismatches, options.files[i]);
    if (result.mismatches != 0) fmt::print("{:>23}{}\n", "", result.first_mismatch);
  }
  fmt::print("{:>10} {:>10}  total\n", records, mismatches);
  if (mismatches != 0) set_exit_code(1);
}

}  // namespace

void add_arith_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("arith", "Check the arithmetic library against files of device-made vectors");
  command
      ->add_option("files", options->files, "Vector files; the kind is the base name (mma_f16, wgmma_e4m3, mufu, ...)")
      ->required();
  command->footer("Exit code 1 on any mismatch, 2 on a file that is no vector file. Formats: doc/arithmetic.md.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
