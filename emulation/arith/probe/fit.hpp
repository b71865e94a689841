// Where a device does not follow its row of the table: which parameters of the same rule would fit it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/probe/device.h"

namespace xqacheck::arith::probe {

struct FitSample {
  MatrixRun run;
  std::vector<uint32_t> device;  // its outputs
};

// Tries groups of 4 to 32 products, 20 to 30 fraction bits (and the 13 of 8-bit units), full and short results, on the
// samples; says in words which of them leave no mismatch, or which comes closest.
std::string fit_rule(const MatrixInstruction& row, const std::vector<FitSample>& samples);

}  // namespace xqacheck::arith::probe
