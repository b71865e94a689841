// Property: a law that a run of a kernel, or several runs, must obey. A new property is one file that defines one
// Property, and one line in properties/registry.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "properties/trial.hpp"
#include "properties/verdict.hpp"

namespace xqacheck::properties {

struct Property {
  const char* id;   // what `prop=` and `--property` say
  const char* law;  // one line for people
  // Judges one case: status, kind, message, elements and evidence; judge_property() fills in the rest. Throws CaseError
  // when the case contradicts itself and EnvironmentError when no kernel can be run at all; whatever the kernel does is
  // a verdict.
  Verdict (*check)(Trial& trial);
};

// In the order in which `verify` runs them.
std::span<const Property* const> all_properties();

// nullptr if there is none.
const Property* property_named(std::string_view id);

// Runs one property and fills in what every verdict carries: subject, run line, property, route, hash of the output,
// time.
Verdict judge_property(const Property& property, Trial& trial);

// -- what properties are made of --

Verdict passed();
Verdict unsupported(std::string why);
Verdict mistrusted(std::string why);
Verdict failed(std::string kind, std::string message);

// A run that gave no result to judge: refused, crashed, hung, or reported an error. `during` says which run it was, for
// messages ("with 3 splits"); "" for the plain run.
bool is_judgeable(const Outcome& outcome);
Verdict verdict_of_broken_run(const Outcome& outcome, const std::string& during);

// Damage to foreign memory and state left behind, or nothing.
std::optional<Verdict> verdict_of_side_effects(const Outcome& outcome, const std::string& during);

}  // namespace xqacheck::properties
