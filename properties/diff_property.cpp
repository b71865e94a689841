#include "properties/diff_property.hpp"

#include <fmt/format.h>

#include "properties/output.hpp"

namespace xqacheck::properties {
namespace {

std::string text_of(const Outcome& outcome) {
  switch (outcome.status) {
    case RunStatus::ok:
      return "answers";
    case RunStatus::unsupported:
      return "says UNSUPPORTED (" + outcome.why + ")";
    case RunStatus::invalid:
      return "says INVALID (" + outcome.why + ")";
    case RunStatus::error:
      return "reports an error (" + outcome.why + ")";
    case RunStatus::crashed:
      return "crashes (" + outcome.why + ")";
    case RunStatus::hung:
      return "hangs";
  }
  return "?";
}

Verdict check(Trial& trial) {
  auto& pair = dynamic_cast<PairRunner&>(trial.runner());
  const Outcome& first = trial.plain_run();
  const Outcome second = pair.second().run(trial.problem(), trial.run_options());
  if (first.status != second.status)
    return failed("other status", fmt::format("the first build {}, the second {}", text_of(first), text_of(second)));
  if (first.status != RunStatus::ok) return verdict_of_broken_run(first, "both builds");
  const xqacheck_problem problem = trial.view();
  const auto difference = first_difference(problem, first, second);
  Verdict verdict = difference ? failed(difference->in_lse ? "other LSE bits" : "other bits", "") : passed();
  verdict.elements = std::uint64_t{problem.total_rows} * problem.q_heads * problem.head_dim_v;
  if (difference) {
    verdict.message =
        fmt::format("{} of {} {} of the second build have other bits than the first's", difference->differing,
                    difference->elements, difference->in_lse ? "LSE values" : "output elements");
    verdict.bad_elements = difference->differing;
    verdict.evidence = {difference->first};
    if (first.route.splits != second.route.splits)
      verdict.notes.push_back(fmt::format("the builds use {} and {} splits", first.route.splits, second.route.splits));
  }
  return verdict;
}

}  // namespace

const Property diff_property = {"diff", "two builds of a kernel give the same bits", check};

}  // namespace xqacheck::properties
