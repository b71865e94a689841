// The probe's CPU side: the same drawn operands, computed by the library and compared with what the device wrote.
#pragma once

#include <cstdint>
#include <string>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/plain/dot.hpp"
#include "emulation/arith/probe/device.h"

namespace xqacheck::arith::probe {

struct Comparison {
  uint64_t outputs = 0;
  uint64_t mismatches = 0;
  std::string first;  // the first mismatch in words, empty when there is none
};

// The row of the table that `run` is compared with on `arch`. When the table has no row for that architecture, the
// sm_90 row, and *substitute is set.
const MatrixInstruction& expected_rule(const MatrixRun& run, const std::string& arch, bool* substitute);

// All outputs of a run against the fast form. Uses every core.
Comparison compare_matrix(const MatrixRun& run, const MatrixInstruction& rule, const uint32_t* device);

// Against the plain form with a deliberate error: the number of outputs that notice it.
uint64_t count_noticed(const MatrixRun& run, const MatrixInstruction& rule, const uint32_t* device,
                       const plain::DotFault& fault);

// Consecutive inputs of a scalar function.
Comparison compare_function(Function function, uint32_t first, size_t count, const uint32_t* device);

const char* name_of(Function function);
int rows_of(const MatrixRun& run);
int columns_of(const MatrixRun& run);

}  // namespace xqacheck::arith::probe
