// plan: forced split counts; each result lies within the bound around the same golden result.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "properties/checks/judge_golden.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  const Outcome& plain = trial.plain_run();
  if (!is_judgeable(plain)) return verdict_of_broken_run(plain, "");
  std::set<std::uint32_t> tried = {plain.route.splits};
  Verdict result = passed();
  bool vacuous = true;
  // 1: no merge at all; 2 and 3: even and odd merges; 7: more splits than tiles in short requests, so that some are
  // empty.
  for (const std::uint32_t splits : {1u, 2u, 3u, 7u}) {
    RunOptions options = trial.run_options();
    options.plan = splits;
    const std::string during = fmt::format("with {} split{}", splits, splits == 1 ? "" : "s");
    const Outcome outcome = trial.run(trial.problem(), options);
    if (outcome.status == RunStatus::unsupported) continue;
    if (!is_judgeable(outcome)) return verdict_of_broken_run(outcome, during);
    if (!tried.insert(outcome.route.splits).second) continue;  // a plan that was judged before
    const Verdict verdict = judge_golden(trial.view(), trial.golden(), trial.kernel(), outcome, during);
    if (verdict.status == Status::failed || verdict.status == Status::unsupported) return verdict;
    vacuous = vacuous && verdict.status == Status::mistrusted;
    if (verdict.status == Status::mistrusted) result.message = verdict.message;
    result.elements += verdict.elements;
    result.bound_used = std::max(result.bound_used, verdict.bound_used);
  }
  if (tried.size() == 1)
    return unsupported(fmt::format("the kernel always uses {} splits for this case", plain.route.splits));
  if (vacuous) return mistrusted(result.message);
  result.message.clear();
  return result;
}

}  // namespace

extern const Property plan_property;
const Property plan_property = {"plan", "forced split counts 1, 2, 3 and 7 each lie within the bound", check};

}  // namespace xqacheck::properties
