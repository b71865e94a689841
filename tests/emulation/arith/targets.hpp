// Runs a test body once on each vector unit that was compiled and that this machine has.
#pragma once

#include "emulation/arith/fast/targets.hpp"
// targets.hpp first
#include "hwy/highway.h"
#include "tests/catch.hpp"

namespace xqacheck::arith {

template <class Body>
void for_each_target(Body body) {
  const int64_t all = hwy::SupportedTargets() & HWY_TARGETS;
  REQUIRE(all != 0);
  for (int64_t rest = all; rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace xqacheck::arith
