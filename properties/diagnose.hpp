// Diagnosis of a wrong output: which suspected fault its error looks like, and where that sits. Slow beside a verdict,
// so made for failures that are shown to a person, not while cases are run or shrunk.
#pragma once

#include "properties/property.hpp"

namespace xqacheck::properties {

// Adds suspects and a map of the error to the notes of a failing `golden` verdict, and token, page, tile and
// sub-sequence to its evidence where the best suspect is about a token or page. Other verdicts stay as they are.
void add_diagnosis(Verdict& verdict, Trial& trial);

}  // namespace xqacheck::properties
