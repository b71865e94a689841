// Judges what a kernel with fused RoPE appended to the cache.
#pragma once

#include "properties/property.hpp"

namespace xqacheck::properties {

// A failing verdict, or nothing: also where the problem appends no tokens.
std::optional<Verdict> judge_appended(const reference::Problem& problem, const Outcome& outcome,
                                      const std::string& during);

}  // namespace xqacheck::properties
