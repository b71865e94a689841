// Which matrix runs a probe makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/arith/probe/device.h"

namespace xqacheck::arith::probe {

// One line of the report: runs that differ only in the kind of operands.
struct MatrixGroup {
  Instruction instruction;
  int n;
  bool a_in_registers;
  int k_steps;
  bool c_is_zero;
  bool controls;  // deliberate errors are tried on it too

  std::string name() const;  // of the instruction
  // The run of one kind: as many tiles as give about `outputs` output elements.
  MatrixRun run(uint32_t kind, uint64_t seed, uint64_t outputs) const;
};

// mma.sync with one and four chained steps; where `has_wgmma`, wgmma with every N, A from shared memory and from
// registers; C = 0 for each. `has_e4m3_mma`: from sm_89 on.
std::vector<MatrixGroup> matrix_groups(bool has_e4m3_mma, bool has_wgmma);

}  // namespace xqacheck::arith::probe
