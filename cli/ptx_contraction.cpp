// xqacheck ptx contraction: whether ptxas makes the sums and products of PTX files what the machine makes of them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/ptx_command.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/sass/arithmetic.hpp"
#include "emulation/ptx/sass/ptxas.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string ptxas;
};

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const ptx::SassCounts& counts) {
  return fmt::format("{:>4} {:>4} {:>4} {:>4}", counts.add, counts.mul, counts.fma, counts.half);
}

const char* text_of(ptx::ArithmeticCheck::Verdict verdict) {
  constexpr const char* kTexts[] = {"EQUAL", "PRODUCTS", "REPEATED", "DIFFERENT"};
  return kTexts[static_cast<int>(verdict)];
}

void run(const Options& options) {
  const std::string ptxas = options.ptxas.empty() ? ptx::find_ptxas() : options.ptxas;
  if (ptxas.empty())
    throw properties::EnvironmentError("ptx contraction needs ptxas of the CUDA toolkit: put it into PATH or name it with --ptxas");
  const auto files = files_of(options.paths);
  if (files.empty()) throw properties::UsageError("ptx contraction: there is no .ptx file");
  fmt::print("{:9}  {:19}  {:10}  {:19}  {:19}\n", "", "text", "contracted", "expected code", "ptxas");
  fmt::print("{:9}  {:19}  {:10}  {:19}  {:19}\n", "", " add  mul  fma half", "  f32 half", " add  mul  fma half", " add  mul  fma half");
  std::size_t agree = 0;
  for (const std::string& file : files) {
    const ptx::Module module = ptx::parse_file(file);
    const ptx::ArithmeticCheck check = ptx::check_arithmetic(module, file, ptxas);
    const auto verdict = check.verdict();
    agree += verdict != ptx::ArithmeticCheck::Verdict::different ? 1 : 0;
    fmt::print("{:9}  {}  {:>5} {:>4}  {}  {}  {}\n", text_of(verdict), text_of(check.text), check.contracted, check.contracted_half, text_of(check.expected), text_of(check.found),
               std::filesystem::path(file).filename().string());
  }
  fmt::print("{} files, {} with the contractions of the machine, {} not\n", files.size(), agree, files.size() - agree);
  set_exit_code(agree == files.size() ? 0 : 1);
}

}  // namespace

void add_ptx_contraction_command(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      parent.add_subcommand("contraction", "Compare the machine's contraction of products and sums with what ptxas does");
  command->add_option("files", options->paths, "PTX files, or folders of them")->required()->check(CLI::ExistingPath)->type_name("FILE|DIR");
  command->add_option("--ptxas", options->ptxas, "The assembler (from PATH, CUDA_HOME or /usr/local/cuda)")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  command->footer("EQUAL: as many FADD, FMUL, FFMA and 16-bit instructions as expected. PRODUCTS: only FMUL is not: ptxas shares or repeats a product.\n"
                  "REPEATED: none missing, more sums: ptxas has unrolled a loop or copied a block. DIFFERENT: it contracts more or less.\n"
                  "Exit code: 0 no file is DIFFERENT; 1 otherwise; 2 usage; 3 no ptxas.");
  command->callback([options] { with_ptx_errors([&] { run(*options); }); });
}

}  // namespace xqacheck::cli
