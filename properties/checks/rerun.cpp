// rerun: the same call gives the same bits, cold, warm, and whatever the output and the scratch workspace held before.
#include "properties/checks/identical.hpp"

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
  for (const Variant& variant : variants) {
    if (variant.launching == Launching::load && trial.kernel().memory != XQACHECK_CUDA) continue;
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
const Property rerun_property = {"rerun", "the same call gives the same bits, run again and launched three times",
                                 check};

}  // namespace xqacheck::properties
