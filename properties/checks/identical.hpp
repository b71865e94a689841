// Laws that compare a changed run with the plain run, bit for bit.
#pragma once

#include <string>

#include "properties/output.hpp"
#include "properties/property.hpp"

namespace xqacheck::properties {

// PASSED, or what is wrong with the changed run: broken, side effects, or other bits than the plain run. `change` names
// the change for messages: "with NaN in unused pages".
Verdict compare_with_plain(Trial& trial, const Outcome& changed, const std::string& change);

Verdict verdict_of_difference(const Difference& difference, const std::string& change);

// What every such law needs first: a plain run to compare with, of a kernel that gives equal bits for equal inputs.
std::optional<Verdict> no_plain_run(Trial& trial);

}  // namespace xqacheck::properties
