// xqacheck replay FILE|DIR...: recorded runs of kernels, carried out again on the CPU and compared bit for bit.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "emulation/kernels/emulate.hpp"
#include "emulation/recording/calls_file.hpp"
#include "emulation/recording/judgement.hpp"
#include "emulation/recording/replay.hpp"
#include "emulation/recording/swaps.hpp"
#include "properties/errors.hpp"

namespace xqacheck::cli {

namespace {

struct Options {
  std::vector<std::string> paths;
  std::string arch, exact_parameters;
  bool golden = false, swaps = false, quiet = false;
};

std::string recipe_text(const emulation::Recipe& recipe) {
  const std::string parameters = emulation::print_parameters(recipe);
  return fmt::format("{} {}{}{}", emulation::name_of(recipe.family), recipe.arch, parameters.empty() ? "" : " ", parameters);
}

// True where the recording's family has an emulator of its own. Throws where there is none at all, or where the command
// line asks for switches that such a family does not have.
bool has_fixed_recipe(const Options& options, const emulation::Recording& recording) {
  if (recording.recipe) return false;
  if (!emulation::can_be_emulated(recording))
    throw properties::UsageError(recording.path + ": the kernel '" + recording.kernel +
                                 "' declares no recipe that can be emulated; --golden alone judges its output");
  if (options.swaps || !options.arch.empty() || !options.exact_parameters.empty())
    throw properties::UsageError(fmt::format("{}: the recipe {} has no switches; leave --recipe, --arch and --swaps out",
                                             recording.path, recording.declared.family));
  return true;
}

// The recipe of the recording, changed as the command line asks.
emulation::Recipe chosen_recipe(const Options& options, const emulation::Recording& recording) {
  emulation::Recipe recipe = emulation::with_parameters(*recording.recipe, options.exact_parameters);
  if (!options.arch.empty()) recipe.arch = options.arch;
  try {
    emulation::check_recipe(recipe, recording.problem.view(nullptr, nullptr));
  } catch (const emulation::RecipeError& error) {
    throw properties::UsageError(recording.name + ": " + error.what());
  }
  return recipe;
}

// Prints one replay; true if every bit is equal.
bool print_replay(const Options& options, const emulation::Recording& recording) {
  const bool fixed = has_fixed_recipe(options, recording);
  const emulation::Recipe recipe = fixed ? emulation::Recipe() : chosen_recipe(options, recording);
  const emulation::Replay result = fixed ? emulation::replay(recording) : emulation::replay_with(recipe, recording);
  if (!options.quiet || !result.equal()) {
    fmt::print("{:9} {:>8} {:>8}  {:28} {}\n", result.equal() ? "EQUAL" : "DIFFERENT", result.elements, result.differing,
               fixed ? recording.declared.family + " " + recording.declared.arch : recipe_text(recipe), recording.name);
  }
  if (result.first) {
    const emulation::Difference& d = *result.first;
    const std::uint32_t dtype = recording.problem.description.out.dtype;
    const int digits = dtype == XQACHECK_E4M3 ? 2 : 4;
    fmt::print("          first: request {} row {} head {} channel {}: recorded 0x{:0{}x} ({:.9g}), emulated 0x{:0{}x} ({:.9g}), "
               "{} ulps; most {} ulps\n",
               d.request, d.row, d.head, d.dim, d.recorded, digits, emulation::value_of_bits(dtype, d.recorded), d.emulated, digits,
               emulation::value_of_bits(dtype, d.emulated), d.ulps, result.most_ulps);
  }
  if (result.differing > 0 && !result.first) fmt::print("          the hash of the output differs from the recorded one\n");
  if (result.lse_differing > 0)
    fmt::print("          {} of {} LSE values differ\n", result.lse_differing, result.lse_values);
  if (!result.semaphores_equal) fmt::print("          semaphores differ from the recorded ones\n");
  if (result.own_plan != recording.problem.description.forced_splits) {
    fmt::print("          recorded with {} splits; the recipe's own plan would take {}\n",
               recording.problem.description.forced_splits, result.own_plan);
  }
  return result.equal();
}

// Prints the judgement of the recorded output; true if it is right.
bool print_judgement(const Options& options, const emulation::Recording& recording) {
  const emulation::RecordedJudgement result = emulation::judge_recording(recording);
  if (!options.quiet || !result.right()) {
    fmt::print("{:9} {:>8} {:>8}  bound used {:<17.3g} {}\n", result.right() ? "RIGHT" : "WRONG", result.judgement.elements,
               result.judgement.bad, result.judgement.bound_used, recording.name);
  }
  for (const emulation::Cause& cause : result.causes) {
    fmt::print("          {} rows: {} ({})\n", cause.rows, cause.what, cause.where);
  }
  if (result.unexplained > 0) fmt::print("          {} rows: no known fault explains them\n", result.unexplained);
  if (result.judgement.mean_square_bad()) {
    fmt::print("          together the elements err too much: mean square {:.3g}, limit {:.3g}\n", result.judgement.mean_square,
               result.judgement.mean_square_limit);
  }
  for (const std::string& note : result.notes) {
    if (!options.quiet) fmt::print("          note: {}\n", note);
  }
  return result.right();
}

void print_swaps(const std::vector<emulation::Recording>& recordings) {
  std::size_t counts[emulation::kRecordedFamilies] = {};
  for (const auto& recording : recordings) ++counts[emulation::family_index(recording)];
  fmt::print("{:60} {:>15} {:>10}\n{:60} {:>15} {:>10}\n", "wrong step", "hmma/qgmma/hgmma", "elements", "(recordings)",
             fmt::format("{}/{}/{}", counts[0], counts[1], counts[2]), "");
  for (const emulation::SwapResult& result : emulation::try_swaps(recordings)) {
    fmt::print("{:60} {:>15} {:>10}\n", result.swap->error,
               fmt::format("{}/{}/{}", result.noticed[0], result.noticed[1], result.noticed[2]), result.elements);
  }
}

void run(const Options& options) {
  std::vector<emulation::Recording> recordings;
  try {
    // All files are read before anything is printed: a bad one leaves no half-written table.
    std::vector<std::string> files;
    for (const std::string& path : options.paths) {
      if (!emulation::is_calls_file(path)) {
        files.push_back(path);
        continue;
      }
      for (emulation::Recording& call : emulation::read_calls(path)) recordings.push_back(std::move(call));
    }
    if (!files.empty())
      for (const std::string& path : emulation::find_recordings(files)) recordings.push_back(emulation::read_recording(path));
    if (options.swaps) {
      for (const auto& recording : recordings)
        if (!has_fixed_recipe(options, recording)) chosen_recipe({}, recording);
      print_swaps(recordings);
      return;
    }
    if (!options.golden) {
      for (const auto& recording : recordings)
        if (!has_fixed_recipe(options, recording)) chosen_recipe(options, recording);
    }
    std::size_t bad = 0;
    for (const emulation::Recording& recording : recordings) {
      if (options.golden && !recording.out_hash.empty())
        throw properties::UsageError(recording.path + ": only the hash of the output is recorded; --golden needs its bytes");
      const bool good = options.golden ? print_judgement(options, recording) : print_replay(options, recording);
      if (!good) ++bad;
    }
    const char* what = options.golden ? "wrong" : "different";
    fmt::print("{} recordings, {} {}\n", recordings.size(), bad, what);
    if (bad > 0) set_exit_code(1);
  } catch (const emulation::RecordingError& error) {
    throw properties::UsageError(error.what());
  } catch (const emulation::RecipeError& error) {
    throw properties::UsageError(error.what());
  }
}

}  // namespace

void add_replay_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("replay", "Carry out recorded runs of kernels on the CPU and compare bit for bit");
  command->add_option("paths", options->paths, "Recordings (.safetensors), directories that hold some, or calls files (.calls.jsonl)")->required();
  command->add_flag("--golden", options->golden, "Judge the recorded output itself by the golden model and name what is wrong");
  command->add_flag("--swaps", options->swaps, "Table of wrong recipes: how many recordings notice each");
  command->add_flag("-q,--quiet", options->quiet, "Print only what is different or wrong");
  command->add_option("--recipe", options->exact_parameters, "Parameters over the recorded recipe: \"key=value …\" (doc/recipes.md)");
  command->add_option("--arch", options->arch, "Matrix unit of another architecture, e.g. sm_80, sm_89, sm_120");
  command->footer("Exit code 0 if all are equal (or right), 1 if not, 2 on a file that is no recording. Formats: doc/recordings.md.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
