#include "reference/filters/page_search.hpp"

#include <omp.h>

#include <algorithm>

#include "reference/filters/edits.hpp"
#include "reference/filters/physical.hpp"
#include "reference/filters/tally.hpp"

namespace xqacheck::reference::filters {
namespace {

// A search must end within seconds: of larger pools every n-th page is tried.
constexpr double kMostProducts = 1e9;

std::int64_t step_of(const Context& c, const Suspect& page, const std::vector<Group>& groups, std::int64_t pages) {
  double products = 0;
  for (const Group& g : groups) {
    products +=
        static_cast<double>(g.lines()) * static_cast<double>(page.tokens) * (c.problem.head_dim + c.problem.head_dim_v);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(products * static_cast<double>(pages) / kMostProducts));
}

// What the suspect explains over all KV heads of its request.
double explained(const Context& c, const Suspect& suspect, const std::vector<Group>& groups) {
  static const std::vector<double> no_sensitivity;
  Tally tally;
  for (const Group& g : groups) {
    const Matrix change = change_of(c, suspect, g, no_sensitivity);
    const Matrix weighted = change.cwiseProduct(g.w);
    tally.add(weighted.cwiseProduct(g.e).sum(), weighted.cwiseProduct(change).sum());
  }
  return tally.explained_in_full();
}

}  // namespace

std::vector<Suspect> search_pages(const Context& c, const Suspect& page, int threads) {
  std::vector<Group> groups;
  for (std::size_t task = 0; task < c.tasks(); ++task) {
    const Sequence& s = c.sight.sequences()[task / c.problem.kv_heads];
    if (static_cast<std::int32_t>(s.request) == page.request) groups.push_back(make_group(c, task));
  }
  const std::int64_t pages = physical_pages(c.problem), step = step_of(c, page, groups, pages);
  const bool one_pool = c.problem.table_stride_v != 0;  // K and V pages have different ids: no page holds both
  std::vector<Suspect> best;
  for (Fault fault : {Fault::page_value_replaced, Fault::page_key_replaced, Fault::page_replaced}) {
    if (one_pool && fault == Fault::page_replaced) continue;
    if (c.problem.kv_aliased != 0 && fault != Fault::page_replaced) continue;
    std::vector<double> gain(static_cast<std::size_t>((pages + step - 1) / step));
    const int workers = threads > 0 ? threads : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (std::size_t i = 0; i < gain.size(); ++i) {
      Suspect suspect = page;
      suspect.fault = fault;
      suspect.other = static_cast<std::int64_t>(i) * step;
      gain[i] = explained(c, suspect, groups);
    }
    if (gain.empty()) continue;
    Suspect suspect = page;
    suspect.fault = fault;
    suspect.other = (std::max_element(gain.begin(), gain.end()) - gain.begin()) * step;
    best.push_back(suspect);
  }
  return best;
}

}  // namespace xqacheck::reference::filters
