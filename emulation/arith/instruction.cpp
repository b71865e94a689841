#include "emulation/arith/instruction.hpp"

#include <array>

namespace xqacheck::arith {

namespace {

using enum MatrixUnit;
using enum Lowering;
using enum Evidence;

constexpr std::string_view kH200 = "NVIDIA H200, driver 580.159.04, ptxas 13.0";
// Khattak & Mikaitis and MMA-Sim; both give one rule with a width per generation.
constexpr std::string_view kPublished = "arXiv 2511.10909, arXiv 2512.07004";

constexpr DotRule rule(int group, int fraction_bits, int result_mantissa = 23) {
  return {group, fraction_bits, result_mantissa, kAlignmentFloor};
}
constexpr DotRule kNoRule{0, 0, 0, 0};

constexpr std::array kTable{
    // Hopper. 25 fraction bits everywhere but wgmma e4m3, which keeps 13 and writes an e8m13 accumulator.
    MatrixInstruction{"sm_90", "mma.sync.m16n8k8.f32.f16", "HMMA.1688.F32", mma_sync, Format::f16, 8, fused,
                      rule(8, 25), measured, kH200},
    MatrixInstruction{"sm_90", "mma.sync.m16n8k8.f32.bf16", "HMMA.1688.F32.BF16", mma_sync, Format::bf16, 8, fused,
                      rule(8, 25), measured, kH200},
    MatrixInstruction{"sm_90", "mma.sync.m16n8k16.f32.f16", "HMMA.16816.F32", mma_sync, Format::f16, 16, fused,
                      rule(16, 25), measured, kH200},
    MatrixInstruction{"sm_90", "mma.sync.m16n8k16.f32.bf16", "HMMA.16816.F32.BF16", mma_sync, Format::bf16, 16, fused,
                      rule(16, 25), measured, kH200},
    MatrixInstruction{"sm_90", "mma.sync.m16n8k32.f32.e4m3", "2 x HMMA.16816.F32 + FADD", mma_sync, Format::e4m3, 32,
                      e4m3_via_f16, rule(16, 25), measured, kH200},
    MatrixInstruction{"sm_90", "mma.sync.m16n8k32.s32.s8", "IMMA.16832.S8.S8", mma_sync, Format::s8, 32, integer,
                      kNoRule, measured, kH200},
    MatrixInstruction{"sm_90", "wgmma.m64nNk16.f32.f16", "HGMMA.64xNx16.F32", wgmma, Format::f16, 16, fused,
                      rule(16, 25), measured, kH200},
    MatrixInstruction{"sm_90", "wgmma.m64nNk16.f32.bf16", "HGMMA.64xNx16.F32.BF16", wgmma, Format::bf16, 16, fused,
                      rule(16, 25), measured, kH200},
    MatrixInstruction{"sm_90", "wgmma.m64nNk32.f32.e4m3", "QGMMA.64xNx32.F32.E4M3.E4M3", wgmma, Format::e4m3, 32, fused,
                      rule(32, 13, 13), measured, kH200},
    // Ampere and Ada: 24 fraction bits, a k16 instruction is two chained groups of eight.
    MatrixInstruction{"sm_80", "mma.sync.m16n8k8.f32.f16", "HMMA.1688.F32", mma_sync, Format::f16, 8, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_80", "mma.sync.m16n8k8.f32.bf16", "HMMA.1688.F32.BF16", mma_sync, Format::bf16, 8, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_80", "mma.sync.m16n8k16.f32.f16", "HMMA.16816.F32", mma_sync, Format::f16, 16, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_80", "mma.sync.m16n8k16.f32.bf16", "HMMA.16816.F32.BF16", mma_sync, Format::bf16, 16, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_80", "mma.sync.m16n8k32.s32.s8", "IMMA.16832.S8.S8", mma_sync, Format::s8, 32, integer,
                      kNoRule, published, kPublished},
    MatrixInstruction{"sm_89", "mma.sync.m16n8k8.f32.f16", "HMMA.1688.F32", mma_sync, Format::f16, 8, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_89", "mma.sync.m16n8k8.f32.bf16", "HMMA.1688.F32.BF16", mma_sync, Format::bf16, 8, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_89", "mma.sync.m16n8k16.f32.f16", "HMMA.16816.F32", mma_sync, Format::f16, 16, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_89", "mma.sync.m16n8k16.f32.bf16", "HMMA.16816.F32.BF16", mma_sync, Format::bf16, 16, fused,
                      rule(8, 24), published, kPublished},
    MatrixInstruction{"sm_89", "mma.sync.m16n8k32.f32.e4m3", "QMMA.16832.F32.E4M3.E4M3", mma_sync, Format::e4m3, 32,
                      fused, rule(16, 13, 13), published, kPublished},
    MatrixInstruction{"sm_89", "mma.sync.m16n8k32.s32.s8", "IMMA.16832.S8.S8", mma_sync, Format::s8, 32, integer,
                      kNoRule, published, kPublished},
    // Blackwell, data centre: 25 fraction bits, also for e4m3.
    MatrixInstruction{"sm_100", "tcgen05.k16.f32.f16", "UTCHMMA", tcgen05, Format::f16, 16, fused, rule(16, 25),
                      published, kPublished},
    MatrixInstruction{"sm_100", "tcgen05.k16.f32.bf16", "UTCHMMA", tcgen05, Format::bf16, 16, fused, rule(16, 25),
                      published, kPublished},
    MatrixInstruction{"sm_100", "tcgen05.k32.f32.e4m3", "UTCQMMA", tcgen05, Format::e4m3, 32, fused, rule(32, 25),
                      published, kPublished},
    // Blackwell, consumer and workstation.
    MatrixInstruction{"sm_120", "mma.sync.m16n8k16.f32.f16", "HMMA.16816.F32", mma_sync, Format::f16, 16, fused,
                      rule(16, 25), published, kPublished},
    MatrixInstruction{"sm_120", "mma.sync.m16n8k16.f32.bf16", "HMMA.16816.F32.BF16", mma_sync, Format::bf16, 16, fused,
                      rule(16, 25), published, kPublished},
    MatrixInstruction{"sm_120", "mma.sync.m16n8k32.f32.e4m3", "QMMA.16832.F32.E4M3.E4M3", mma_sync, Format::e4m3, 32,
                      fused, rule(32, 25), published, kPublished},
};

const MatrixInstruction& row(std::string_view name) {
  return *find_instruction("sm_90", name);
}

}  // namespace

std::span<const MatrixInstruction> matrix_instructions() {
  return kTable;
}

const MatrixInstruction* find_instruction(std::string_view arch, MatrixUnit unit, Format operands, int k) {
  const MatrixInstruction* found = nullptr;
  for (const MatrixInstruction& candidate : kTable) {
    if (candidate.arch != arch || candidate.unit != unit || candidate.operands != operands) continue;
    if (candidate.k == k) return &candidate;
    if (k == 0 && (found == nullptr || candidate.k > found->k)) found = &candidate;
  }
  return found;
}

const MatrixInstruction* find_instruction(std::string_view arch, std::string_view name) {
  for (const MatrixInstruction& candidate : kTable) {
    if (candidate.arch == arch && candidate.name == name) return &candidate;
  }
  return nullptr;
}

namespace sm_90 {
const MatrixInstruction& mma_f16() {
  return row("mma.sync.m16n8k16.f32.f16");
}
const MatrixInstruction& mma_bf16() {
  return row("mma.sync.m16n8k16.f32.bf16");
}
const MatrixInstruction& mma_e4m3() {
  return row("mma.sync.m16n8k32.f32.e4m3");
}
const MatrixInstruction& mma_s8() {
  return row("mma.sync.m16n8k32.s32.s8");
}
const MatrixInstruction& wgmma_f16() {
  return row("wgmma.m64nNk16.f32.f16");
}
const MatrixInstruction& wgmma_bf16() {
  return row("wgmma.m64nNk16.f32.bf16");
}
const MatrixInstruction& wgmma_e4m3() {
  return row("wgmma.m64nNk32.f32.e4m3");
}
}  // namespace sm_90

const char* name_of(MatrixUnit unit) {
  switch (unit) {
    case mma_sync:
      return "mma.sync";
    case wgmma:
      return "wgmma";
    case tcgen05:
      return "tcgen05";
  }
  return "?";
}

const char* name_of(Evidence evidence) {
  return evidence == measured ? "measured" : "published";
}

}  // namespace xqacheck::arith
