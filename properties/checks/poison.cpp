// poison: bytes that must not matter are overwritten one kind at a time, and the output keeps its bits. What the output
// and the scratch workspace held before is one of these kinds: what is never written keeps it.
#include <fmt/format.h>

#include "properties/checks/domain.hpp"
#include "properties/checks/identical.hpp"
#include "properties/edit_problem.hpp"

namespace xqacheck::properties {
namespace {

struct Kind {
  const char* what;
  Unused unused;
};

const Kind kKinds[] = {{"unused pages", {.pages = true}},
                       {"tokens past the end of a request", {.tails = true}},
                       {"gaps between pages, tokens and heads", {.gaps = true}},
                       {"unused page table entries and beam indices", {.entries = true}}};

const char* name_of(Fill fill) {
  return fill == Fill::nan ? "NaN and Inf" : fill == Fill::huge ? "the largest finite numbers" : "random bytes";
}

// Rows that the domain leaves out, such as those without a token, may hold anything.
Verdict unless_outside(Trial& trial, Verdict verdict) {
  std::string outside = outside_domain(trial.view(), trial.golden(), trial.kernel().domain);
  return outside.empty() ? verdict : unsupported(std::move(outside));
}

// The plain run began with NaN there.
Verdict other_old_contents(Trial& trial) {
  RunOptions options = trial.run_options();
  const Fill other = options.output == Fill::huge ? Fill::nan : Fill::huge;
  options.output = options.scratch = other;
  return compare_with_plain(trial, trial.run(trial.problem(), options),
                            fmt::format("with {} in the output and the workspace before the run", name_of(other)));
}

Verdict check(Trial& trial) {
  if (auto verdict = no_plain_run(trial)) return *verdict;
  if (Verdict verdict = other_old_contents(trial); verdict.status != Status::passed)
    return unless_outside(trial, std::move(verdict));
  if (!is_editable(trial.problem())) return unsupported("the pool is too large to be searched for unused bytes");
  std::uint64_t overwritten = 0;
  for (const Kind& kind : kKinds) {
    for (const Fill fill : {Fill::nan, Fill::huge}) {
      if (kind.unused.entries && fill != Fill::nan) continue;  // entries are ids, not numbers
      // A kernel that declares so may multiply what follows a request by a weight of zero: finite values then.
      if (kind.unused.tails && fill == Fill::nan && trial.kernel().domain.needs_finite_tail) continue;
      reference::Problem changed = trial.problem().clone();
      const std::uint64_t count = poison(changed, kind.unused, fill, trial.subject().seed);
      if (count == 0) continue;
      overwritten += count;
      const std::string change = kind.unused.entries ? fmt::format("with bad ids in {}", kind.what)
                                                     : fmt::format("with {} in {}", name_of(fill), kind.what);
      Verdict verdict = compare_with_plain(trial, trial.run(changed, trial.run_options()), change);
      if (verdict.status != Status::passed) return unless_outside(trial, std::move(verdict));
    }
  }
  Verdict verdict = passed();
  verdict.elements = overwritten;
  return verdict;
}

}  // namespace

extern const Property poison_property;
const Property poison_property = {
    "poison",
    "NaN, Inf and huge values in unused pages, tails, gaps and old outputs, and bad unused page ids, change no bit",
    check};

}  // namespace xqacheck::properties
