// twin: for every feature that is on, a twin problem with the feature off or its argument changed. Where the golden
// model says that the answer changes by more than both bounds, the kernel's answer must change: a kernel that ignores
// an argument fails.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "properties/checks/domain.hpp"
#include "properties/checks/reach.hpp"
#include "properties/checks/twin_problems.hpp"
#include "properties/decode.hpp"
#include "properties/edit_problem.hpp"
#include "properties/output.hpp"

namespace xqacheck::properties {
namespace {

reference::Golden golden_of(Trial& trial, const reference::Problem& problem) {
  reference::GoldenOptions options;
  options.threads = trial.options().threads;
  return reference::golden(problem.view(nullptr, nullptr), &trial.kernel().numerics, options);
}

// Elements whose golden values lie further apart than both runs may err, and how many of the outputs do not.
struct Change {
  std::uint64_t due = 0, unchanged = 0, equal = 0;
  BadElement first;
};

Change compare(const xqacheck_numerics& numerics, const Judged& plain, const Judged& twin) {
  Change change;
  const reference::Golden& golden = plain.golden;
  for (std::uint32_t row = 0; row < golden.rows; ++row)
    for (std::uint32_t head = 0; head < golden.heads; ++head)
      for (std::uint32_t d = 0; d < golden.dim_v; ++d) {
        const double apart = std::abs(golden_value(golden, row, head, d) - golden_value(twin.golden, row, head, d));
        if (!(apart > 0)) continue;
        const double least = apart - reach(plain.problem, numerics, golden, row, head, d) -
                             reach(twin.problem, numerics, twin.golden, row, head, d);
        if (!(least > 0)) continue;
        ++change.due;
        const double before = output_value(plain.problem, plain.outcome, row, head, d);
        const double after = output_value(twin.problem, twin.outcome, row, head, d);
        if (std::abs(before - after) >= least) continue;
        change.equal += before == after;
        if (change.unchanged++ > 0) continue;
        const RowPlace place = place_of_row(plain.problem, row);
        change.first = {place.request, place.row, head, d, after, golden_value(twin.golden, row, head, d), least};
        change.first.ulps = ulps_between(plain.problem.out.dtype, change.first.got, change.first.want);
      }
  return change;
}

struct Tried {
  std::vector<std::string> seen, vacuous;
  std::uint64_t elements = 0;
};

// A failing verdict, or nothing.
std::optional<Verdict> try_twins(Trial& trial, Tried& tried) {
  const xqacheck_problem plain_view = trial.view();
  std::optional<Verdict> too_little;
  for (const Twin& twin : twins_of(trial.problem())) {
    const xqacheck_problem twin_view = twin.problem.view(nullptr, nullptr);
    const Outcome outcome = trial.run(twin.problem, trial.run_options());
    if (outcome.status == RunStatus::unsupported || outcome.status == RunStatus::invalid) continue;
    if (!is_judgeable(outcome)) return verdict_of_broken_run(outcome, twin.what);
    if (auto verdict = verdict_of_side_effects(outcome, twin.what)) return verdict;
    const reference::Golden golden = golden_of(trial, twin.problem);
    if (!outside_domain(twin_view, golden, trial.kernel().domain).empty()) continue;
    const Change change =
        compare(trial.kernel().numerics, {plain_view, trial.golden(), trial.plain_run()}, {twin_view, golden, outcome});
    (change.due > 0 ? tried.seen : tried.vacuous).push_back(twin.argument);
    tried.elements += change.due;
    if (change.unchanged == 0) continue;
    const bool ignored = change.equal == change.due;
    if (!ignored && too_little) continue;
    Verdict verdict =
        ignored
            ? failed("ignored " + twin.argument,
                     fmt::format("{}: {} elements must change by more than the bounds, none does: {} is ignored",
                                 twin.what, change.due, twin.argument))
            : failed("too little change", fmt::format("{}: {} elements must change by more than the bounds, {} do not",
                                                      twin.what, change.due, change.unchanged));
    verdict.elements = change.due, verdict.bad_elements = change.unchanged;
    verdict.evidence = {change.first};
    if (ignored) return verdict;
    too_little = std::move(verdict);  // wrong, but another argument may be what is ignored
  }
  return too_little;
}

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  if (!is_editable(trial.problem())) return unsupported("the pool is too large to be copied");
  if (std::string why = outside_domain(trial.view(), trial.golden(), trial.kernel().domain); !why.empty())
    return unsupported(std::move(why));
  Tried tried;
  if (auto verdict = try_twins(trial, tried)) return *verdict;
  if (!tried.vacuous.empty() && trial.subject().data != reference::DataKind::normal && trial.subject().file.empty()) {
    // Data such as K = 0 hide scales and masks: the same shape with ordinary numbers shows them.
    reference::RunLine line = trial.run_line();
    line.subject.data = reference::DataKind::normal;
    line.subject.inject.clear();
    Trial ordinary(line, trial.runner(), trial.options());
    if (is_judgeable(ordinary.plain_run()) &&
        outside_domain(ordinary.view(), ordinary.golden(), ordinary.kernel().domain).empty()) {
      tried.vacuous.clear();
      if (auto verdict = try_twins(ordinary, tried)) {
        verdict->notes.push_back("with data=normal in place of the case's data");
        return *verdict;
      }
    }
  }
  if (tried.seen.empty() && tried.vacuous.empty()) return unsupported("the kernel supports no twin of the case");
  if (tried.seen.empty())
    return mistrusted(fmt::format("no element changes by more than the bounds when any of {} changes",
                                  fmt::join(tried.vacuous, ", ")));
  Verdict verdict = passed();
  verdict.elements = tried.elements;
  verdict.notes.push_back(fmt::format("seen to matter: {}", fmt::join(tried.seen, ", ")));
  if (!tried.vacuous.empty())
    verdict.notes.push_back(fmt::format("too small an effect to be seen: {}", fmt::join(tried.vacuous, ", ")));
  return verdict;
}

}  // namespace

extern const Property twin_property;
const Property twin_property = {
    "twin", "every feature that is on, switched off or its argument changed, changes the output where it must", check};

}  // namespace xqacheck::properties
