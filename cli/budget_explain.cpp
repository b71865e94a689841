// xqacheck budget explain: which rounding takes which share of the error, and what another choice would change.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/budget.hpp"
#include "cli/budget_options.hpp"
#include "cli/commands.hpp"
#include "cli/kernel_runners.hpp"
#include "properties/budget/causes.hpp"
#include "properties/budget/records.hpp"
#include "properties/errors.hpp"
#include "properties/report/json_lines.hpp"

namespace xqacheck::cli {
namespace {

using namespace properties;

struct Options {
  BudgetOptions budget;
  std::string json;
  std::vector<std::string> variants;
  std::uint32_t orders = 2;
};

// What people ask about FP8 attention first.
std::vector<std::string> usual_variants(const emulation::Recipe& recipe, const reference::Case& c) {
  if (reference::is_16bit(c.kv)) return {"arch=sm_100"};
  if (recipe.family == emulation::Family::hmma) return {"p=exact", "scales=head", "scales=page"};
  return {"p_scale=256", "p=16bit", "arch=sm_100", "scales=head", "scales=page"};
}

emulation::Recipe recipe_of_kernel(const xqacheck_description& kernel) {
  const auto recipe = budget::recipe_of(kernel);
  if (recipe) return *recipe;
  throw UsageError(fmt::format("--kernel {}: declares no recipe that can be emulated, so its error has no known steps; "
                               "`budget measure` shows its size, `budget explain --kernel emu-...` that of a recipe",
                               kernel.name));
}

void print(const reference::RunLine& run, const budget::CauseSplit& split, const std::vector<budget::WhatIfResult>& tried,
           std::uint64_t samples) {
  const double total = split.total.mean;
  fmt::print("\n{}\n  squared error / squared output: {:.4g} ({:.4g} to {:.4g}), relative L2 {:.4g}; {} samples\n",
             reference::print_run_line(run), total, split.total.low, split.total.high, std::sqrt(total), samples);
  if (!(total > 0)) return fmt::print("  no error: nothing to split\n");
  fmt::print("  {:<10} {:>8}  {:<17} {:>8} {:>8}\n", "step", "share", "95 %", "alone", "removed");
  std::vector<budget::Cause> causes = split.causes;
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.share.mean > b.share.mean; });
  double sum = 0;
  for (const budget::Cause& c : causes) {
    sum += c.share.mean;
    fmt::print("  {:<10} {:>6.2f} %  {:>6.2f} to {:>6.2f} {:>6.2f} % {:>6.2f} %\n", c.step, 100 * c.share.mean / total,
               100 * c.share.low / total, 100 * c.share.high / total, 100 * c.alone / total, 100 * c.removed / total);
  }
  fmt::print("  {:<10} {:>6.2f} %; interaction (total - sum of alone) {:+.2f} %\n", "sum", 100 * sum / total,
             100 * split.interaction / total);
  for (const budget::WhatIfResult& r : tried)
    fmt::print("  what if {}: relative L2 {:.4g}, {:+.2f} % ({:+.2f} to {:+.2f})\n", r.name, std::sqrt(r.nmse.mean),
               100 * r.change.mean, 100 * r.change.low, 100 * r.change.high);
  std::fflush(stdout);
}

void run(const Options& options) {
  if (options.budget.kernel.empty()) throw UsageError("--kernel: name a kernel with a recipe, such as emu-qgmma");
  if (options.budget.lines.empty()) throw UsageError("--case: name the configuration to explain");
  if (options.orders == 0 || options.orders > 1000) throw UsageError("--orders: needs 1 to 1000");
  constexpr std::uint64_t kSeeds = 8;  // shares are then known to a few per cent of the total
  const std::uint64_t asked = sample_count(options.budget);
  Runners runners = make_budget_runners(options.budget.kernel, 1);
  const xqacheck_description& kernel = runners.front()->description();
  const emulation::Recipe recipe = recipe_of_kernel(kernel);
  const std::vector<reference::RunLine> runs = chosen_configurations(options.budget, *runners.front());
  budget::CauseOptions causes;
  causes.first_seed = options.budget.first_seed, causes.seeds = asked > 0 ? asked : kSeeds, causes.orders = options.orders;
  causes.threads = static_cast<int>(job_count(options.budget.jobs));
  std::vector<std::vector<budget::WhatIf>> variants(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const std::string& words : options.variants.empty() ? usual_variants(recipe, runs[i].subject) : options.variants)
      variants[i].push_back(budget::parse_what_if(recipe, words));
  std::unique_ptr<JsonLinesFile> json;
  if (!options.json.empty()) {
    RunHeader header;
    header.command = command_line(), header.seed = causes.first_seed, header.cases = runs.size();
    header.properties = {"budget"}, header.kernels = {info_of(kernel, "built-in")};
    header.host = host_name(), header.started = utc_now();
    json = std::make_unique<JsonLinesFile>(options.json, header);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    try {
      const budget::CauseSplit split = budget::split_by_cause(recipe, runs[i], causes);
      const auto tried = budget::try_out(recipe, runs[i], variants[i], causes);
      print(runs[i], split, tried, split.samples.size());
      if (json) json->add_record(budget::record_of(runs[i], split, tried, kernel.name, i));
    } catch (const emulation::RecipeError& error) {
      throw UsageError(fmt::format("{}: {}", reference::print_run_line(runs[i]), error.what()));
    }
  }
}

}  // namespace

void add_budget_explain_command(CLI::App& budget) {
  auto options = std::make_shared<Options>();
  CLI::App* command = budget.add_subcommand("explain", "Split the error of a recipe by cause; try other choices");
  add_kernel_option(*command, options->budget);
  add_configuration_options(*command, options->budget);
  add_sampling_options(*command, options->budget);
  command->add_option("--first-seed", options->budget.first_seed, "Seed of the first sample (1)")->type_name("N");
  command->add_option("--orders", options->orders, "Orders of the steps a seed, each also reversed (2)")->type_name("N");
  command
      ->add_option("--what-if", options->variants,
                   "Another choice: p_scale=256, p=16bit, p=exact, arch=sm_100, scales=head|page|tensor, exact=STEPS, or "
                   "any parameter of the recipe; words with spaces are tried together; may be given several times")
      ->type_name("WORDS");
  command->add_option("--json", options->json, "Write the split as JSON lines (doc/results-format.md)")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  xqacheck budget explain --kernel emu-qgmma --case 'xqa/1 heads=8/1 len=512 kv=e4m3'\n"
      "  xqacheck budget explain --kernel emu-qgmma --case 'xqa/1 len=512 kv=e4m3 data=outlier' --what-if 'scales=page'\n"
      "Every step costs an emulation with it on and off, some 80 a seed: short lengths say most of what there is to say.");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
