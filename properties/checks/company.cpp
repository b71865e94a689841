// company: a request gives the same bits alone, and in a batch in another order, where its split count is the same.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "properties/checks/identical.hpp"
#include "properties/edit_problem.hpp"

namespace xqacheck::properties {
namespace {

std::vector<std::uint32_t> rows_of(const xqacheck_problem& problem, std::uint32_t request) {
  std::vector<std::uint32_t> rows(row_count(problem, request));
  std::iota(rows.begin(), rows.end(), first_row(problem, request));
  return rows;
}

// Runs `chosen` as a batch of its own and compares each of its requests with the same request of the plain run.
std::optional<Verdict> check_batch(Trial& trial, const std::vector<std::uint32_t>& chosen, const std::string& change,
                                   bool& compared) {
  const reference::Problem batch = select_requests(trial.problem(), chosen);
  RunOptions options = trial.run_options();
  options.plan = trial.plain_run().route.splits;
  const Outcome outcome = trial.run(batch, options);
  if (!is_judgeable(outcome)) return verdict_of_broken_run(outcome, change);
  if (auto verdict = verdict_of_side_effects(outcome, change)) return verdict;
  if (outcome.route.splits != trial.plain_run().route.splits) return std::nullopt;  // another plan: no promise
  compared = true;
  const xqacheck_problem whole = trial.view(), part = batch.view(nullptr, nullptr);
  for (std::uint32_t i = 0; i < chosen.size(); ++i) {
    const auto difference =
        first_difference(whole, trial.plain_run(), rows_of(whole, chosen[i]), part, outcome, rows_of(part, i));
    if (difference) return verdict_of_difference(*difference, change);
  }
  return std::nullopt;
}

Verdict check(Trial& trial) {
  if (auto verdict = no_plain_run(trial)) return *verdict;
  if (!trial.kernel().split_invariant_company)
    return unsupported("the kernel does not promise bits that are independent of the batch");
  const std::uint32_t requests = trial.view().requests;
  if (requests < 2) return unsupported("the case has a single request");
  if (!is_editable(trial.problem())) return unsupported("the pool is too large to be copied");
  bool compared = false;
  std::vector<std::uint32_t> reversed(requests);
  std::iota(reversed.rbegin(), reversed.rend(), 0u);
  if (auto verdict = check_batch(trial, reversed, "with the batch in reverse order", compared)) return *verdict;
  // Alone: first, middle and last are enough to tell a request that leans on its neighbour.
  std::vector<std::uint32_t> alone = {0, requests / 2, requests - 1};
  alone.erase(std::unique(alone.begin(), alone.end()), alone.end());
  for (const std::uint32_t request : alone)
    if (auto verdict = check_batch(trial, {request}, fmt::format("with request {} alone", request), compared))
      return *verdict;
  if (!compared) return unsupported("the kernel does not use the same split count for another batch");
  Verdict verdict = passed();
  verdict.elements = std::uint64_t{trial.view().total_rows} * trial.view().q_heads * trial.view().head_dim_v;
  return verdict;
}

}  // namespace

extern const Property company_property;
const Property company_property = {
    "company", "a request gives the same bits alone and in another batch order, the split count being the same", check};

}  // namespace xqacheck::properties
