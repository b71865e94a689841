// Exit codes of a run (doc/verdicts.md). Where several apply, the first of 2, 3, 1, 4 wins.
#pragma once

#include <string>

#include "properties/report/tally.hpp"

namespace xqacheck::properties {

enum class ExitCode : int {
  passed = 0,
  failed = 1,       // FAILED, CRASHED, HUNG, or a known failure that passes
  usage = 2,        // malformed request
  environment = 3,  // no worker, no device, a file that cannot be written
  too_little = 4    // too few of the asked cases ran, or too many verdicts were MISTRUSTED
};

struct Demands {
  double min_executed = 0.5;     // share of the asked cases that must give a verdict other than UNSUPPORTED
  double max_mistrusted = 0.05;  // share of the executed verdicts that may be MISTRUSTED
};

struct Conclusion {
  ExitCode code = ExitCode::passed;
  std::string why;  // one sentence; "" for passed
};

Conclusion conclude(const Tally& tally, const Demands& demands);

// A verdict on a single case (`repro`): there is no share to speak of.
ExitCode exit_code_of(Status status);

}  // namespace xqacheck::properties
