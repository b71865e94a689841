// golden: every output element, LSE where asked for, and what fused RoPE appended to the cache lies within its bound
// around the fp64 result; and all errors together look like no fault.
#include "properties/checks/judge_appended.hpp"
#include "properties/checks/judge_filters.hpp"
#include "properties/checks/judge_golden.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  const Outcome& outcome = trial.plain_run();
  if (!is_judgeable(outcome)) return verdict_of_broken_run(outcome, "");
  Verdict verdict = judge_golden(trial.view(), trial.golden(), trial.kernel(), outcome, "");
  if (verdict.status != Status::passed && verdict.status != Status::mistrusted) return verdict;
  if (auto appended = judge_appended(trial.problem(), outcome, "")) return *appended;
  if (!trial.options().filters) return verdict;
  if (auto suspicious = judge_filters(trial)) {
    suspicious->bound_used = verdict.bound_used;
    return *suspicious;
  }
  return verdict;
}

}  // namespace

extern const Property golden_property;
const Property golden_property = {
    "golden", "every output element, and LSE, lies within its derived bound around the fp64 result", check};

}  // namespace xqacheck::properties
