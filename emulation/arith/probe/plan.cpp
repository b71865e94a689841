#include "emulation/arith/probe/plan.hpp"

#include <algorithm>

#include "emulation/arith/probe/expected.hpp"

namespace xqacheck::arith::probe {

std::string MatrixGroup::name() const {
  constexpr const char* kNames[kInstructions] = {
      "mma.sync.m16n8k16.f32.f16", "mma.sync.m16n8k16.f32.bf16", "mma.sync.m16n8k8.f32.f16",
      "mma.sync.m16n8k8.f32.bf16", "mma.sync.m16n8k32.f32.e4m3", "mma.sync.m16n8k32.s32.s8",
      "wgmma.m64nNk16.f32.f16",    "wgmma.m64nNk16.f32.bf16",    "wgmma.m64nNk32.f32.e4m3"};
  return kNames[instruction];
}

MatrixRun MatrixGroup::run(uint32_t kind, uint64_t seed, uint64_t outputs) const {
  MatrixRun result{instruction, n, a_in_registers, k_steps, c_is_zero, seed, kind, 0, 0};
  const auto per_tile = static_cast<uint64_t>(rows_of(result) * columns_of(result));
  result.tiles = static_cast<uint32_t>(std::max<uint64_t>(1, outputs / per_tile));
  return result;
}

std::vector<MatrixGroup> matrix_groups(bool has_e4m3_mma, bool has_wgmma) {
  std::vector<MatrixGroup> groups;
  for (const Instruction instruction : {kMmaF16, kMmaBf16, kMmaF16K8, kMmaBf16K8, kMmaE4m3, kMmaS8}) {
    if (instruction == kMmaE4m3 && !has_e4m3_mma) continue;
    for (const int k_steps : {1, kMaxSteps}) {
      groups.push_back({instruction, 8, true, k_steps, false, k_steps == 1 && instruction != kMmaS8});
    }
    groups.push_back({instruction, 8, true, 1, true, false});
  }
  if (!has_wgmma) return groups;
  for (const Instruction instruction : {kWgmmaF16, kWgmmaBf16, kWgmmaE4m3}) {
    for (const bool registers : {false, true}) {
      for (const int n : {8, 16, 24, 32, 64, 128, 256}) {
        for (const int k_steps : {1, kMaxSteps}) {
          groups.push_back({instruction, n, registers, k_steps, false, n == 64 && !registers && k_steps == 1});
        }
      }
      groups.push_back({instruction, 64, registers, 1, true, false});
    }
  }
  return groups;
}

}  // namespace xqacheck::arith::probe
