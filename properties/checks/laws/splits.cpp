// One split and three agree within twice the bound.
#include "properties/checks/laws/law.hpp"

namespace xqacheck::properties::laws {
namespace {

Result check(Trial& trial) {
  RunOptions one = trial.run_options(), three = one;
  one.plan = 1, three.plan = 3;
  Side was(trial, trial.problem(), "one split", one), is(trial, trial.problem(), "with three splits", three);
  if (auto result = was.unusable()) return *result;
  if (auto result = is.unusable()) return *result;
  if (was.outcome().route.splits == is.outcome().route.splits) return not_here();
  return within_reach(was, is, all_places(is.view()));
}

}  // namespace

const Law splits_law = {"split counts", check};

}  // namespace xqacheck::properties::laws
