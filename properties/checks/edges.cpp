// edges: the case with one edge put in: an empty request, NaN and Inf in used places, all scores -inf, page ids at the
// far end of a huge pool. Each variant is judged by its own golden result.
#include <fmt/format.h>

#include <algorithm>

#include "properties/case_steps.hpp"
#include "properties/checks/judge_golden.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

struct Variant {
  const char* what;
  void (*change)(Case&);
};

// Offsets that do not fit 32 bits need a pool of 2^31 elements; it is sparse, so it costs addresses, not memory.
const Variant kVariants[] = {
    {"with an empty request first", [](Case& c) { c.lens.front() = 0; }},
    {"with NaN in V of the last token",
     [](Case& c) {
       c.inject = {{Injection::Value::nan, Injection::Tensor::v, 0, c.lens.front() - 1}};
     }},
    {"with -Inf in K of the first token",
     [](Case& c) {
       c.inject = {{Injection::Value::minf, Injection::Tensor::k, 0, 0}};
     }},
    {"with all scores -inf", [](Case& c) { c.data = DataKind::neginf; }},
    {"with pages at the far end of a huge pool", [](Case& c) { c.table = TableKind::far; }},
};

bool applies(const Variant& variant, const Case& from, Case& changed) {
  changed = from;
  changed.inject.clear();
  if (changed.lens.front() == 0) return false;  // is an edge already, and holds no token to change
  variant.change(changed);
  changed = settled(std::move(changed));
  return !(changed == from) && is_consistent(changed);
}

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  Verdict result = passed();
  int judged = 0;
  for (const Variant& variant : kVariants) {
    RunLine line = trial.run_line();
    if (!applies(variant, trial.subject(), line.subject)) continue;
    Trial edge(line, trial.runner(), trial.options());
    const Outcome& outcome = edge.plain_run();
    Verdict verdict = is_judgeable(outcome)
                          ? judge_golden(edge.view(), edge.golden(), edge.kernel(), outcome, variant.what)
                          : verdict_of_broken_run(outcome, variant.what);
    if (is_failure(verdict.status)) {
      verdict.notes.push_back("the case judged: " + print_case(line.subject));
      return verdict;
    }
    judged += verdict.status == Status::passed;
    result.elements += verdict.elements;
    result.bound_used = std::max(result.bound_used, verdict.bound_used);
  }
  if (judged == 0) return unsupported("the case has no edge that the kernel supports");
  return result;
}

}  // namespace

extern const Property edges_property;
const Property edges_property = {
    "edges", "empty requests, NaN and Inf in used places, all scores -inf and far page ids have their declared answers",
    check};

}  // namespace xqacheck::properties
