// Judges a recorded output by the golden model, and names what is wrong with it: an output can be faithful to its kernel and
// yet wrong, because the kernel has a fault.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/recording/recording.hpp"
#include "reference/judge.hpp"

namespace xqacheck::emulation {

// A fault that explains rows: with it, and only with it, their output is within bounds.
struct Cause {
  std::string what;        // one sentence: what the kernel did instead
  std::uint32_t rows = 0;  // (query row, head) pairs that it explains
  std::string where;       // the first few of them
};

struct RecordedJudgement {
  reference::Judgement judgement;    // of the output as the problem is meant
  std::vector<Cause> causes;
  std::uint32_t bad_rows = 0;        // (query row, head) pairs with a bad element
  std::uint32_t unexplained = 0;     // of those, the ones that no known fault explains
  std::vector<std::string> notes;    // what is within bounds and still worth knowing

  bool right() const { return judgement.passed(); }
};

RecordedJudgement judge_recording(const Recording& recording);

}  // namespace xqacheck::emulation
