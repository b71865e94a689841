// Arithmetic instructions in a cubin, counted by opcode.
//
// A cubin is a 64-bit ELF file; the sections .text.<kernel> hold instructions of 16 bytes (sm_70 and later). The low 9
// bits are the operation, the next 3 say where its operands come from; source registers A and B stand in bytes 3 and 4,
// and 255 is RZ. The numbers of the operations were read from what ptxas 13.0 makes of kernels with a single
// instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xqacheck::ptx {

struct SassCounts {
  std::uint64_t add = 0, mul = 0, fma = 0;  // FADD, FMUL, FFMA
  std::uint64_t half = 0;                   // HADD2, HMUL2, HFMA2: ptxas writes each of them as any other
};

// Moves in the guise of sums (a source that is RZ: conversions, signs, constants) are left out. Throws PtxError where
// the bytes are no cubin.
SassCounts count_sass(std::span<const std::byte> cubin);

}  // namespace xqacheck::ptx
