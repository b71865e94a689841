// Files of device-made vectors: reading them and comparing the library with them.
//
// The kind of a file is its base name: mma_f16, mma_bf16, mma_e4m3, wgmma_f16, wgmma_bf16, wgmma_e4m3, deep_mma_bf16,
// deep_wgmma_bf16 (records of 72 bytes: 32 bytes of A, 32 of B, u32 C, u32 D) and mufu (12 bytes: op, input, output).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/plain/dot.hpp"

namespace xqacheck::arith {

// One matrix record: k products of one instruction.
struct DotVector {
  std::vector<uint16_t> a, b;  // k patterns each, one per element
  uint32_t c = 0;
  uint32_t d = 0;
};

struct MufuVector {
  uint32_t op = 0;  // index into kMufuNames
  uint32_t input = 0;
  uint32_t output = 0;
};

inline constexpr std::string_view kMufuNames[] = {"ex2", "rcp", "rsqrt", "sqrt", "lg2"};

// Exactly one of the lists is filled; instruction is null for mufu.
struct VectorFile {
  const MatrixInstruction* instruction = nullptr;
  std::vector<DotVector> dots;
  std::vector<MufuVector> mufu;
};

// Throws std::runtime_error that names the file and the fault: unknown kind, unreadable, empty, a length that is no
// multiple of the record, an unknown op.
VectorFile read_vectors(const std::filesystem::path& path);

struct VectorResult {
  size_t records = 0;
  size_t mismatches = 0;       // of the plain or the fast form
  std::string first_mismatch;  // empty when there is none
};

// Compares every record with both forms, plain and fast; `fault` goes to the plain form (negative controls in tests).
VectorResult check_vectors(const VectorFile& file, const plain::DotFault& fault = {});

// f32 bits of the function that kMufuNames[op] names, .approx.ftz.f32, plain form.
uint32_t plain_mufu(uint32_t op, uint32_t x);

}  // namespace xqacheck::arith
