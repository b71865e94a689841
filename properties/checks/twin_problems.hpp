// Twins of a problem: each differs from it in one argument.
#pragma once

#include <string>
#include <vector>

#include "reference/problem.hpp"

namespace xqacheck::properties {

struct Twin {
  std::string argument;  // "sinks", "window" …
  std::string what;      // "without sinks", "with q_scale halved" …
  reference::Problem problem;
};

// Of every feature that is on: off where that is a problem of the same shape, else the argument changed. Skip-softmax
// has no twin: a kernel may skip nothing, so nothing need change.
std::vector<Twin> twins_of(const reference::Problem& problem);

}  // namespace xqacheck::properties
