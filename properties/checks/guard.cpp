// guard: every buffer lies flush against unmapped memory, behind it and then before it. A kernel that touches one byte
// outside a buffer faults, and the bits are those of the plain run.
#include "properties/checks/identical.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  struct Variant {
    const char* change;
    Placement place;
  };
  const Variant variants[] = {{"with unmapped memory right behind every buffer", Placement::end},
                              {"with unmapped memory right before every buffer", Placement::begin}};
  Verdict verdict;
  for (const Variant& variant : variants) {
    RunOptions options = trial.run_options();
    options.place = variant.place;
    const Outcome outcome = trial.run(trial.problem(), options);
    if (!trial.kernel().deterministic && is_judgeable(outcome)) {
      if (auto damage = verdict_of_side_effects(outcome, variant.change)) return *damage;
      verdict = passed();
      continue;
    }
    verdict = compare_with_plain(trial, outcome, variant.change);
    if (verdict.status != Status::passed) return verdict;
  }
  return verdict;
}

}  // namespace

extern const Property guard_property;
const Property guard_property = {
    "guard", "no access outside a buffer: each lies flush against unmapped memory, at its end and at its begin", check};

}  // namespace xqacheck::properties
