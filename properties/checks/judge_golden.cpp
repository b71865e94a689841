#include "properties/checks/judge_golden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "properties/checks/domain.hpp"
#include "properties/checks/error_figures.hpp"
#include "properties/output.hpp"
#include "reference/judge.hpp"

namespace xqacheck::properties {
namespace {

using reference::Fault;
using reference::FaultKind;
using reference::Judgement;

constexpr std::size_t kFaultsKept = 4096;  // enough to see in which heads, rows and channels they lie
constexpr std::size_t kEvidence = 4;       // of a verdict: a screen shows them all

double excess(const Fault& fault) {
  const double error = std::abs(fault.got - fault.want);
  return std::isfinite(error) ? error / std::max(fault.bound, 1e-300) : std::numeric_limits<double>::infinity();
}

BadElement bad_element(const xqacheck_problem& problem, const Fault& fault) {
  const RowPlace place = place_of_row(problem, fault.row);
  BadElement bad;
  bad.request = place.request, bad.row = place.row, bad.head = fault.head, bad.dim = fault.dim;
  bad.got = fault.got, bad.want = fault.want, bad.bound = fault.bound, bad.ulps = fault.ulps;
  return bad;
}

// The first bad element, then those furthest out.
std::vector<BadElement> evidence_of(const xqacheck_problem& problem, std::vector<Fault> faults) {
  std::vector<BadElement> evidence;
  if (faults.empty()) return evidence;
  evidence.push_back(bad_element(problem, faults.front()));
  faults.erase(faults.begin());
  const std::size_t more = std::min(kEvidence - 1, faults.size());
  std::partial_sort(faults.begin(), faults.begin() + static_cast<std::ptrdiff_t>(more), faults.end(),
                    [](const Fault& a, const Fault& b) { return excess(a) > excess(b); });
  for (std::size_t i = 0; i < more; ++i) evidence.push_back(bad_element(problem, faults[i]));
  return evidence;
}

// "3 5 7" or "0 to 15" or "all 64".
std::string listed(const std::set<std::uint32_t>& values, std::uint32_t count) {
  if (values.size() == count) return count == 1 ? fmt::format("{}", *values.begin()) : fmt::format("all {}", count);
  if (values.size() > 2 && *values.rbegin() - *values.begin() + 1 == values.size())
    return fmt::format("{} to {}", *values.begin(), *values.rbegin());
  if (values.size() <= 8) return fmt::format("{}", fmt::join(values, " "));
  return fmt::format("{} of {} from {} to {}", values.size(), count, *values.begin(), *values.rbegin());
}

std::string whereabouts(const xqacheck_problem& problem, const Judgement& judgement) {
  std::set<std::uint32_t> requests, rows, heads, dims;
  for (const Fault& fault : judgement.faults) {
    const RowPlace place = place_of_row(problem, fault.row);
    requests.insert(place.request), rows.insert(place.row), heads.insert(fault.head), dims.insert(fault.dim);
  }
  const std::uint32_t most_rows = problem.max_rows * problem.beam_width;
  return fmt::format("bad elements lie in requests {}, rows {}, heads {}, channels {}",
                     listed(requests, problem.requests), listed(rows, most_rows), listed(heads, problem.q_heads),
                     listed(dims, problem.head_dim_v));
}

std::string kind_of(const Judgement& judgement) {
  if (judgement.bad == 0) return "mean square";
  const bool only_lse =
      std::all_of(judgement.faults.begin(), judgement.faults.end(), [](const Fault& f) { return f.lse; });
  if (only_lse) return "lse";
  if (judgement.of_kind[static_cast<int>(FaultKind::special)] > 0) return "nan or inf";
  return judgement.of_kind[static_cast<int>(FaultKind::worst)] > 0 ? "value" : "statistics";
}

std::string message_of(const Judgement& judgement, const std::string& kind) {
  if (kind == "mean square")
    return fmt::format(
        "every element is within its bound, but together they err too much: mean square of error / sigma {:.3g}, limit "
        "{:.3g}",
        judgement.mean_square, judgement.mean_square_limit);
  if (kind == "nan or inf") return "NaN or Inf where a number is due, or a number where NaN or Inf is due";
  if (kind == "lse") return "LSE is outside of its bound";
  if (kind == "value") return "elements are outside of the bound that no correct kernel exceeds";
  return fmt::format("elements are further from the golden result than chance allows: {:.3g} sigma, limit {:.3g}",
                     judgement.largest_z, judgement.z_limit);
}

Judgement judge_bytes(const xqacheck_problem& problem, const reference::Golden& golden,
                      const xqacheck_description& kernel, const std::vector<std::byte>& out,
                      const std::vector<std::byte>& lse) {
  reference::JudgeOptions options;
  options.most_faults = kFaultsKept;
  return reference::judge(problem, golden, &kernel.numerics, out.data(), out.size(), lse.empty() ? nullptr : lse.data(),
                          lse.size(), options);
}

// A check that an output of zeros passes could not have failed. Rows that are empty are due to be zero: they do not
// count.
std::string vacuity(const xqacheck_problem& problem, const reference::Golden& golden,
                    const xqacheck_description& kernel, const Judgement& judgement, const Outcome& outcome) {
  if (judgement.elements == 0) return "nothing was judged: the golden model promises nothing about any element";
  if (std::all_of(golden.empty.begin(), golden.empty.end(), [](std::uint8_t empty) { return empty != 0; })) return "";
  const std::vector<std::byte> zeros(outcome.out.size());
  if (!judge_bytes(problem, golden, kernel, zeros, {}).passed()) return "";
  const bool all_zero = std::all_of(golden.out.begin(), golden.out.end(), [](double value) { return value == 0; });
  return all_zero ? "zero is expected everywhere"
                  : "the bound is larger than the signal: an output of zeros would pass too";
}

}  // namespace

Verdict judge_golden(const xqacheck_problem& problem, const reference::Golden& truth,
                     const xqacheck_description& kernel, const Outcome& outcome, const std::string& during) {
  if (auto verdict = verdict_of_side_effects(outcome, during)) return *verdict;
  if (std::string why = outside_domain(problem, truth, kernel.domain); !why.empty()) return unsupported(std::move(why));
  const bool as_is =
      kernel.domain.zero_length != XQACHECK_EMPTY_NAN && kernel.domain.fully_masked != XQACHECK_EMPTY_NAN;
  const reference::Golden declared = as_is ? reference::Golden{} : in_domain(problem, truth, kernel.domain);
  const reference::Golden& golden = as_is ? truth : declared;
  const Judgement judgement = judge_bytes(problem, golden, kernel, outcome.out, outcome.lse);
  Verdict verdict = passed();
  if (!judgement.passed()) {
    const std::string kind = kind_of(judgement);
    verdict = failed(kind, (during.empty() ? "" : during + ": ") + message_of(judgement, kind));
    verdict.evidence = evidence_of(problem, judgement.faults);
    if (judgement.bad > 0) verdict.notes.push_back(whereabouts(problem, judgement));
    verdict.maps = error_maps(problem, golden, kernel.numerics, outcome.out);
  } else if (std::string why = vacuity(problem, golden, kernel, judgement, outcome); !why.empty()) {
    verdict = mistrusted(std::move(why));
  }
  verdict.elements = judgement.elements;
  verdict.bad_elements = judgement.bad;
  verdict.bound_used = judgement.bound_used;
  verdict.error = error_figures(problem, golden, kernel.numerics, outcome.out);
  return verdict;
}

}  // namespace xqacheck::properties
