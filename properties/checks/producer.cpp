// producer: inputs written by the kernel immediately before on the stream are seen, also when programmatic dependent
// launch lets this one start before they are written.
#include "properties/checks/identical.hpp"
#include "properties/checks/machine_schedules.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  if (trial.kernel().memory != XQACHECK_CUDA)
    return unsupported("only kernels on device memory follow a producer on a stream");
  if (auto verdict = no_plain_run(trial)) return *verdict;
  Verdict verdict;
  struct Variant {
    Launching launching;
    const char* change;
  };
  for (const Variant& variant :
       {Variant{Launching::producer, "with inputs written by the preceding kernel"},
        Variant{Launching::pdl_producer,
                "with inputs written late by the preceding kernel under programmatic dependent launch"}}) {
    RunOptions options = trial.run_options();
    options.launching = variant.launching;
    // A GPU starts the dependent early if it has room; the PTX machine can be told to run it before its producer.
    if (variant.launching == Launching::pdl_producer && chooses_schedule(trial.plain_run()))
      options.schedule = schedule_number(ptx::ScheduleKind::late_producer);
    verdict = compare_with_plain(trial, trial.run(trial.problem(), options), variant.change);
    if (verdict.status != Status::passed) return verdict;
  }
  return verdict;
}

}  // namespace

extern const Property producer_property;
const Property producer_property = {
    "producer", "inputs written by the immediately preceding kernel are seen, also under programmatic dependent launch",
    check};

}  // namespace xqacheck::properties
