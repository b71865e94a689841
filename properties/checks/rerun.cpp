// rerun: the same call gives the same bits, cold, warm, and whatever the output and the scratch workspace held before.
#include "properties/checks/identical.hpp"
#include "properties/checks/machine_schedules.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  if (auto verdict = no_plain_run(trial)) return *verdict;
  struct Variant {
    const char* change;
    std::uint32_t runs;  // on one prepared kernel; the outcome is that of the last
    Launching launching = Launching::plain;
  };
  // One fresh instance finds races between workers; three launches on one instance find what the first left behind.
  const Variant variants[] = {{"on a second run", 1},
                              {"on the third of three launches", 3},
                              {"under load on another stream", 1, Launching::load}};
  Verdict verdict;
  // A machine that can choose tries other orders of warps, CTAs and asynchronous copies: a GPU shows one at a time.
  constexpr std::size_t kSchedules = 20;
  const bool any_order = chooses_schedule(trial.plain_run());
  if (any_order) {
    const std::vector<ptx::ScheduleSpec> schedules = ptx::standard_schedules(kSchedules);
    for (std::uint32_t i = 0; i < schedules.size(); ++i) {
      RunOptions options = trial.run_options();
      options.schedule = i + 1;
      verdict =
          compare_with_plain(trial, trial.run(trial.problem(), options), "under schedule " + to_text(schedules[i]));
      if (verdict.status != Status::passed) return verdict;
    }
  }
  for (const Variant& variant : variants) {
    // Load is there to disturb the order of things: what schedules have done better.
    if (variant.launching == Launching::load && (any_order || trial.kernel().memory != XQACHECK_CUDA)) continue;
    RunOptions options = trial.run_options();
    options.runs = variant.runs;
    options.launching = variant.launching;
    verdict = compare_with_plain(trial, trial.run(trial.problem(), options), variant.change);
    if (verdict.status != Status::passed) return verdict;
  }
  return verdict;
}

}  // namespace

extern const Property rerun_property;
const Property rerun_property = {
    "rerun", "the same call gives the same bits, run again, launched three times, and in any order of warps", check};

}  // namespace xqacheck::properties
