// edges: the case with one edge put in: an empty request, a row that sees no token, NaN and Inf in used places, all
// scores -inf, a single token whose score is some ten thousands, page ids at the far end of a huge pool. Each variant
// is judged by its own golden result.
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
  bool any_score = false;  // only for kernels whose domain has no limits on scores
};

// The first draft sees nothing, the second itself: no token is older than the drafts of the first request.
void mask_first_row(Case& c) {
  c.mask = MaskKind::bits, c.draft = {2}, c.bits = {{0, 2}}, c.tree.clear();
  c.beam = 1, c.skip = 0;
  for (std::uint32_t& length : c.lens) length = std::max(length, 2u);
  c.lens.front() = 2;
}

// A lone token has weight 1 whatever its score: finite stand-ins for -inf show.
void one_extreme_token(Case& c) {
  c.data = DataKind::huge;
  c.lens.front() = c.rows(0);
}

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
    {"with a fully masked row", mask_first_row},
    {"with a single token whose score is some ten thousands", one_extreme_token, true},
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

// As profiles do: extreme scores leave any declared range.
bool may_score_anything(const xqacheck_domain& domain) {
  return domain.max_abs_score == 0 && domain.min_row_max == 0;
}

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  Verdict result = passed();
  int judged = 0;
  for (const Variant& variant : kVariants) {
    RunLine line = trial.run_line();
    if (variant.any_score && !may_score_anything(trial.kernel().domain)) continue;
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
const Property edges_property = {"edges",
                                 "empty requests, masked rows, NaN and Inf in used places, extreme scores and far page "
                                 "ids have their declared answers",
                                 check};

}  // namespace xqacheck::properties
