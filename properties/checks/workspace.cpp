// workspace: the declared sizes suffice exactly (the workspace ends at unmapped memory), its old content and that of
// the output do not matter, and the persistent state is zero again after every launch.
#include "properties/checks/identical.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  if (auto verdict = no_plain_run(trial)) return *verdict;
  struct Variant {
    const char* change;
    Fill scratch, output;
    std::uint32_t runs;
  };
  const Variant variants[] = {
      {"with a workspace full of zeros", Fill::zero, Fill::huge, 1},
      {"with a workspace full of huge numbers", Fill::huge, Fill::zero, 1},
      {"with a random workspace, on the second of two launches", Fill::random, Fill::random, 2}};
  Verdict verdict;
  for (const Variant& variant : variants) {
    RunOptions options = trial.run_options();
    options.place = Placement::end;
    options.scratch = variant.scratch, options.output = variant.output, options.runs = variant.runs;
    verdict = compare_with_plain(trial, trial.run(trial.problem(), options), variant.change);
    if (verdict.status != Status::passed) return verdict;
  }
  return verdict;
}

}  // namespace

extern const Property workspace_property;
const Property workspace_property = {
    "workspace", "old workspace and output contents do not matter, the exact size suffices, semaphores return to zero",
    check};

}  // namespace xqacheck::properties
