// xqacheck plan: what the host side of the XQA family decides for a case: which kernels admit it and why not, which one is
// chosen, into how many sub-sequences each plan splits it, scratch and grid. Runs nothing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "cli/commands.hpp"
#include "kernels/host/call_of_problem.hpp"
#include "kernels/host/split_plan.hpp"
#include "kernels/host/workspace_layout.hpp"
#include "properties/corpus.hpp"
#include "properties/errors.hpp"
#include "reference/case_line.hpp"
#include "reference/problem.hpp"

namespace xqacheck::cli {
namespace {

using namespace kernels;

struct Options {
  std::string line;
  std::uint32_t sm = 90;        // H100, H200
  std::uint32_t sm_count = 132;
};

Overrides overrides() {
  try {
    return overrides_from_environment();
  } catch (const std::invalid_argument& error) {
    throw properties::UsageError(error.what());
  }
}

void print_admission(const AttentionCall& call) {
  const std::pair<KernelChoice, Admission> kernels[] = {{KernelChoice::hmma, admit_hmma(call)},
                                                        {KernelChoice::qgmma, admit_qgmma(call)},
                                                        {KernelChoice::mla, admit_mla(call)}};
  for (const auto& [kernel, admission] : kernels)
    fmt::print("{:<7} {}\n", name_of(kernel), admission.admitted ? "admitted" : "refused: " + admission.reason);
  fmt::print("{:<7} takes every case that the other kernels refuse\n", name_of(KernelChoice::mmha));
}

PlanInput plan_input(const AttentionCall& call, const xqacheck_problem& p, std::uint32_t row_blocks) {
  PlanInput in;
  in.batch = call.batch * call.beam_width, in.kv_heads = call.kv_heads;
  in.max_seq_len = p.max_seq_len, in.max_past_kv_length = call.max_past_kv_length;
  in.sm_count = call.sm_count, in.mla = call.is_mla(), in.draft_row_blocks = row_blocks;
  return in;
}

void print_layout(const char* kernel, const ScratchLayout& scratch, std::uint64_t semaphores, const Grid& grid) {
  const std::string limit = check_grid(grid);
  fmt::print("{:<7} grid {} x {} x {}, scratch {} bytes, {} semaphores{}\n", kernel, grid.x, grid.y, grid.z,
             scratch.total_bytes, semaphores, limit.empty() ? "" : "; " + limit);
}

void run(const Options& options) {
  if (options.sm_count == 0) throw properties::UsageError("--sms 0: needs the number of multiprocessors");
  const Overrides forced = overrides();
  const auto entry = properties::parse_entry(options.line, "plan");
  const reference::Problem problem = reference::make_problem(entry.run.subject);
  xqacheck_problem p = problem.view(nullptr, nullptr);
  p.sm_count = options.sm_count;
  const AttentionCall call = call_of(p, options.sm);
  fmt::print("{}\non sm_{} with {} multiprocessors\n\n", reference::print_case(entry.run.subject), options.sm,
             options.sm_count);
  if (forced.kernel_forced) fmt::print("XQACHECK_FORCE_KERNEL={}\n", name_of(forced.kernel));
  if (forced.splits != 0) fmt::print("XQACHECK_FORCE_SPLITS={}\n", forced.splits);
  print_admission(call);
  Choice choice;
  try {
    choice = choose_kernel(call, forced);
  } catch (const std::invalid_argument& error) {
    throw properties::UsageError(error.what());
  }
  fmt::print("\nchosen: {} ({}), {} query rows a tile{}\n", name_of(choice.kernel), choice.why,
             query_tile_rows(call, choice.kernel), rope_fused(call, choice.kernel) ? ", RoPE fused" : "");

  LayoutInput layout;
  layout.batch = call.batch, layout.kv_heads = call.kv_heads, layout.group = call.q_heads / std::max(call.kv_heads, 1u);
  layout.head_dim = call.head_dim, layout.draft_rows = call.multi_query_tokens ? call.draft_length : 0;
  const auto row_blocks = static_cast<std::uint32_t>(grid_hmma(layout).y / std::max(call.kv_heads, 1u));
  const PlanInput in = plan_input(call, p, row_blocks);
  fmt::print("\nsplits{}:", forced.splits != 0 ? fmt::format(": {} by force; else", forced.splits) : "");
  for (const NamedPlan& plan : split_plans()) fmt::print(" {} {}", plan.name, plan.plan(in));
  fmt::print("\n");
  layout.splits = forced.splits != 0 ? forced.splits : plan_hmma(in);
  print_layout("hmma", scratch_hmma(layout), semaphores_hmma(layout), grid_hmma(layout));
  layout.splits = forced.splits != 0 ? forced.splits : plan_gmma(in);
  print_layout("gmma", scratch_gmma(layout), semaphores_gmma(layout), grid_gmma(layout));
}

}  // namespace

void add_plan_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plan", "Say which kernel an engine would choose for a case, and its launch");
  command->add_option("case", options->line, "A case line")->required()->type_name("LINE");
  command->add_option("--sm", options->sm, "Compute capability times ten (90)")->type_name("N");
  command->add_option("--sms", options->sm_count, "Multiprocessors (132)")->type_name("N");
  command->footer(
      "XQACHECK_FORCE_KERNEL=mmha|hmma|qgmma|mla and XQACHECK_FORCE_SPLITS=N override the choice here and in the launches of\n"
      "built-in kernels (doc/gpu-path.md).");
  command->callback([options] { run(*options); });
}

}  // namespace xqacheck::cli
