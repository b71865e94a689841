#include "properties/checks/identical.hpp"

#include <fmt/format.h>

namespace xqacheck::properties {

Verdict verdict_of_difference(const Difference& difference, const std::string& change) {
  Verdict verdict = failed(difference.in_lse ? "other LSE bits" : "other bits", "");
  verdict.message = fmt::format("{}, {} of {} {} differ from the plain run", change, difference.differing,
                                difference.elements, difference.in_lse ? "LSE values" : "output elements");
  verdict.elements = difference.elements;
  verdict.bad_elements = difference.differing;
  verdict.evidence = {difference.first};
  return verdict;
}

Verdict compare_with_plain(Trial& trial, const Outcome& changed, const std::string& change) {
  if (!is_judgeable(changed)) return verdict_of_broken_run(changed, change);
  if (auto verdict = verdict_of_side_effects(changed, change)) return *verdict;
  const xqacheck_problem problem = trial.view();
  const auto difference = first_difference(problem, trial.plain_run(), changed);
  if (difference) return verdict_of_difference(*difference, change);
  const Outcome& plain = trial.plain_run();
  if (plain.k_appended != changed.k_appended || plain.v_appended != changed.v_appended)
    return failed("other appended bits", change + ", what was appended to the cache differs from the plain run");
  Verdict verdict = passed();
  verdict.elements = std::uint64_t{problem.total_rows} * problem.q_heads * problem.head_dim_v;
  return verdict;
}

std::optional<Verdict> no_plain_run(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  if (!trial.kernel().deterministic) return unsupported("the kernel declares that equal inputs may give other bits");
  return std::nullopt;
}

}  // namespace xqacheck::properties
