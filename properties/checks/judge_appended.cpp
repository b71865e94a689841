#include "properties/checks/judge_appended.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "properties/decode.hpp"
#include "properties/output.hpp"
#include "reference/cache_check.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties {
namespace {

using reference::HostBuffer;
using reference::TensorId;

// The pools as the run left them: appended rows are handed over apart, and all else of the pools is checked for damage.
class PoolsAfterRun {
 public:
  PoolsAfterRun(const reference::Problem& problem, const Outcome& outcome)
      : problem_(problem.view(nullptr, nullptr)), view_(problem_), shared_(problem.tensor(TensorId::v).empty()) {
    k_ = problem.tensor(TensorId::k).clone();
    if (!shared_) v_ = problem.tensor(TensorId::v).clone();
    put(false, outcome.k_appended, problem_.head_dim);
    if (!problem_.kv_aliased) put(true, outcome.v_appended, problem_.head_dim_v);
  }
  const HostBuffer& k() const { return k_; }
  const HostBuffer& v() const { return shared_ ? k_ : v_; }

 private:
  void put(bool is_v, const std::vector<std::byte>& rows, std::uint32_t dims) {
    const std::size_t size = bytes_of(problem_.k.dtype), row_bytes = size * dims;
    HostBuffer& pool = is_v && !shared_ ? v_ : k_;
    for (std::uint32_t row = 0; row < problem_.total_rows; ++row) {
      const RowPlace place = place_of_row(problem_, row);
      const std::uint32_t token = view_.seq_len(place.request) - view_.rows(place.request) + place.row;
      for (std::uint32_t head = 0; head < problem_.kv_heads; ++head) {
        const std::size_t from = (std::size_t{row} * problem_.kv_heads + head) * row_bytes;
        if (from + row_bytes > rows.size()) return;
        const std::uint64_t to =
            is_v ? view_.v_row(place.request, 0, token, head) : view_.k_row(place.request, 0, token, head);
        std::memcpy(pool.data() + to * size, rows.data() + from, row_bytes);
      }
    }
  }

  xqacheck_problem problem_;
  reference::KvView view_;
  bool shared_;
  HostBuffer k_, v_;
};

BadElement bad_element(const xqacheck_problem& problem, const reference::CacheFault& fault) {
  BadElement bad;
  bad.request = fault.request, bad.row = place_of_row(problem, fault.row).row, bad.head = fault.kv_head,
  bad.dim = fault.channel;
  bad.got = fault.got, bad.want = fault.want, bad.bound = fault.bound, bad.token = fault.token;
  bad.ulps = ulps_between(problem.k.dtype, fault.got, fault.want);
  return bad;
}

}  // namespace

std::optional<Verdict> judge_appended(const reference::Problem& problem, const Outcome& outcome,
                                      const std::string& during) {
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  if (view.k_new.dtype == XQACHECK_NONE || outcome.k_appended.empty()) return std::nullopt;
  const PoolsAfterRun pools(problem, outcome);
  std::uint64_t checked = 0;
  constexpr std::size_t kKept = 4096;  // all of a small case: the count is of those
  const auto faults = reference::check_cache(view, pools.k().data(), pools.k().size(), pools.v().data(),
                                             pools.v().size(), kKept, &checked);
  if (faults.empty()) return std::nullopt;
  Verdict verdict =
      failed("appended",
             fmt::format("{}{} of {} numbers appended to the cache are wrong, the first in {}",
                         during.empty() ? "" : during + ": ", faults.size(), checked, faults.front().v ? "V" : "K"));
  verdict.elements = checked, verdict.bad_elements = faults.size();
  for (std::size_t i = 0; i < std::min<std::size_t>(4, faults.size()); ++i)
    verdict.evidence.push_back(bad_element(view, faults[i]));
  return verdict;
}

}  // namespace xqacheck::properties
