#include "properties/checks/laws/law.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "properties/checks/domain.hpp"
#include "properties/checks/reach.hpp"
#include "properties/decode.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties::laws {
namespace {

Result broken(Verdict verdict) {
  Result result;
  result.state = Result::State::broken;
  result.verdict = std::move(verdict);
  return result;
}

BadElement bad_at(const Side& side, Place at, std::uint32_t dim, double got, double want, double bound) {
  const RowPlace place = place_of_row(side.view(), at.row);
  BadElement bad;
  bad.request = place.request, bad.row = place.row, bad.head = at.head, bad.dim = dim;
  bad.got = got, bad.want = want, bad.bound = bound, bad.ulps = ulps_between(side.view().out.dtype, got, want);
  return bad;
}

// Counts elements and remembers the first bad one.
struct Count {
  std::uint64_t elements = 0, telling = 0, bad = 0;
  BadElement first;

  void add_bad(const BadElement& element) {
    if (bad++ == 0) first = element;
  }
  Result result(const std::string& what, const std::string& text) const {
    Result result;
    result.elements = elements;
    if (bad == 0) {
      result.state = elements == 0  ? Result::State::not_here
                     : telling == 0 ? Result::State::vacuous
                                    : Result::State::held;
      return result;
    }
    Verdict verdict = failed("", fmt::format("{}, {} of {} output elements {}", what, bad, elements, text));
    verdict.elements = elements, verdict.bad_elements = bad;
    verdict.evidence = {first};
    return broken(std::move(verdict));
  }
};

}  // namespace

Result not_here() {
  return {};
}

Side::Side(Trial& trial, const reference::Problem& problem, std::string what, const RunOptions& options)
    : trial_(trial),
      view_(problem.view(nullptr, nullptr)),
      what_(std::move(what)),
      outcome_(trial.run(problem, options)) {}

Side::Side(Trial& trial, const reference::Problem& problem, std::string what)
    : Side(trial, problem, std::move(what), trial.run_options()) {}

std::optional<Result> Side::unusable() {
  if (outcome_.status == RunStatus::unsupported || outcome_.status == RunStatus::invalid) return not_here();
  if (!is_judgeable(outcome_)) return broken(verdict_of_broken_run(outcome_, what_));
  if (auto verdict = verdict_of_side_effects(outcome_, what_)) return broken(*verdict);
  if (!outside_domain(view_, golden(), trial_.kernel().domain).empty()) return not_here();
  return std::nullopt;
}

const reference::Golden& Side::golden() {
  if (!golden_) {
    reference::GoldenOptions options;
    options.threads = trial_.options().threads;
    golden_.emplace(reference::golden(view_, &trial_.kernel().numerics, options));
  }
  return *golden_;
}

double Side::value(std::uint32_t row, std::uint32_t head, std::uint32_t dim) const {
  return output_value(view_, outcome_, row, head, dim);
}

double Side::reach(std::uint32_t row, std::uint32_t head, std::uint32_t dim) {
  return properties::reach(view_, trial_.kernel().numerics, golden(), row, head, dim);
}

Pairs all_places(const xqacheck_problem& problem) {
  return [rows = problem.total_rows, heads = problem.q_heads](const std::function<void(Place, Place)>& use) {
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t head = 0; head < heads; ++head) use({row, head}, {row, head});
  };
}

Result same_bits(Side& was, Side& is, const Pairs& pairs) {
  Count count;
  const std::size_t size = bytes_of(is.view().out.dtype);
  pairs([&](Place before, Place after) {
    const std::byte* old = was.outcome().out.data() + out_offset(was.view(), before.row, before.head, 0);
    const std::byte* now = is.outcome().out.data() + out_offset(is.view(), after.row, after.head, 0);
    for (std::uint32_t d = 0; d < is.view().head_dim_v; ++d) {
      ++count.elements;
      count.telling += was.value(before.row, before.head, d) != 0;
      if (std::memcmp(old + d * size, now + d * size, size) == 0) continue;
      count.add_bad(bad_at(is, after, d, is.value(after.row, after.head, d), was.value(before.row, before.head, d), 0));
    }
  });
  return count.result(is.what(), "have other bits than " + was.what());
}

Result within_reach(Side& was, Side& is, const Pairs& pairs, double factor) {
  Count count;
  pairs([&](Place before, Place after) {
    for (std::uint32_t d = 0; d < is.view().head_dim_v; ++d) {
      const double allowed =
          std::abs(factor) * was.reach(before.row, before.head, d) + is.reach(after.row, after.head, d);
      if (!std::isfinite(allowed)) continue;
      ++count.elements;
      const double want = factor * was.value(before.row, before.head, d), got = is.value(after.row, after.head, d);
      // An output of zeros on one side would not pass.
      count.telling += std::abs(golden_value(is.golden(), after.row, after.head, d)) > allowed;
      if (std::abs(got - want) <= allowed) continue;
      count.add_bad(bad_at(is, after, d, got, want, allowed));
    }
  });
  return count.result(is.what(), "are further from " + was.what() + " than both bounds allow");
}

Result is_near(Side& side, const std::function<double(std::uint32_t, std::uint32_t, std::uint32_t)>& want) {
  Count count;
  const xqacheck_problem& p = side.view();
  for (std::uint32_t row = 0; row < p.total_rows; ++row)
    for (std::uint32_t head = 0; head < p.q_heads; ++head) {
      if (side.golden().empty[std::size_t{row} * p.q_heads + head] != 0) continue;
      for (std::uint32_t d = 0; d < p.head_dim_v; ++d) {
        const double allowed = side.reach(row, head, d);
        if (!std::isfinite(allowed)) continue;
        ++count.elements;
        const double due = want(row, head, d), got = side.value(row, head, d);
        count.telling += std::abs(due) > allowed;
        if (std::abs(got - due) <= allowed) continue;
        count.add_bad(bad_at(side, {row, head}, d, got, due, allowed));
      }
    }
  return count.result(side.what(), "are further from the closed form than the bound allows");
}

}  // namespace xqacheck::properties::laws
