// What a person allows random cases to contain: `--draw key=value,value`. A campaign that must compile few shapes keeps
// to few head dims; one that looks for a fault of windows leaves the rest out.
#pragma once

#include <string>
#include <vector>

#include "properties/profile.hpp"

namespace xqacheck::properties {

// Keeps of `profile` what every one of `draws` allows. Keys are those of the case line:
//   dim group page layout table mask sinks rope data q kv out      the listed values only; dim=576/512 is MLA
//   window beam skip lse bias inject pad scales                    `off`: never
// Throws UsageError that names the key or value and what there is to choose from: an unknown key, a value that is none
// or that the kernel does not support, a key given twice, formats that exclude each other.
void restrict_profile(Profile& profile, const std::vector<std::string>& draws);

}  // namespace xqacheck::properties
