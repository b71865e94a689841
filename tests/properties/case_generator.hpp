// RapidCheck generator of the tool's own random cases: drawn as `verify` draws them, shrunk by the reductions that
// `verify` uses.
#pragma once

#include <vector>

#include <rapidcheck.h>

#include "properties/generate.hpp"
#include "properties/reductions.hpp"
#include "tests/reference/arbitrary_case.hpp"  // how a case is shown

namespace xqacheck::tests {

inline rc::Seq<reference::Case> simpler_cases(const reference::Case& c) {
  std::vector<reference::Case> simpler;
  for (properties::Reduction& step : properties::reductions(c)) simpler.push_back(std::move(step.simpler));
  return rc::seq::fromContainer(std::move(simpler));
}

inline rc::Gen<reference::Case> drawn_case(properties::Profile profile, properties::SizeLimits limits = {}) {
  return [profile = std::move(profile), limits](const rc::Random& random, int) {
    rc::Random stream = random;
    return rc::shrinkable::shrinkRecur(properties::draw_case(stream.next(), 0, profile, limits), simpler_cases);
  };
}

}  // namespace xqacheck::tests
