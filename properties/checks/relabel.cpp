// relabel: physical pages are permuted together with the page table. The kernel sees the same tokens elsewhere in the
// pool.
#include <algorithm>
#include <numeric>

#include "properties/checks/identical.hpp"
#include "properties/draws.hpp"
#include "properties/edit_problem.hpp"

namespace xqacheck::properties {
namespace {

std::vector<std::uint32_t> random_permutation(std::uint32_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Draws draws(seed, n);
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
  if (std::is_sorted(order.begin(), order.end()))
    std::swap(order.front(), order.back());  // the identity checks nothing
  return order;
}

Verdict check(Trial& trial) {
  if (auto verdict = no_plain_run(trial)) return *verdict;
  const xqacheck_problem problem = trial.view();
  if (problem.page_tokens == 0) return unsupported("the cache is contiguous: there are no pages to relabel");
  if (problem.pages_in_pool < 2) return unsupported("the pool has a single page");
  if (!is_editable(trial.problem())) return unsupported("the pool is too large to be moved");
  std::vector<std::uint32_t> reversed(problem.pages_in_pool);
  std::iota(reversed.rbegin(), reversed.rend(), 0u);
  const std::pair<const char*, std::vector<std::uint32_t>> variants[] = {
      {"with pages in random places", random_permutation(problem.pages_in_pool, trial.subject().geo)},
      {"with pages in reverse order", reversed}};
  Verdict verdict;
  for (const auto& [change, new_page] : variants) {
    verdict =
        compare_with_plain(trial, trial.run(relabel_pages(trial.problem(), new_page), trial.run_options()), change);
    if (verdict.status != Status::passed) return verdict;
  }
  return verdict;
}

}  // namespace

extern const Property relabel_property;
const Property relabel_property = {"relabel", "physical pages permuted together with the page table change no bit",
                                   check};

}  // namespace xqacheck::properties
