// The matrix instructions that the library models, one row each: what is fused, how many fraction bits survive.
//
// Every float row is the same rule (plain/dot.hpp) with other numbers. `measured` rows were checked bit for bit against
// the hardware named in `source`; `published` rows restate figures of others and were not checked here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "emulation/arith/format.hpp"

namespace xqacheck::arith {

enum class MatrixUnit : uint8_t { mma_sync, wgmma, tcgen05 };
enum class Evidence : uint8_t { measured, published };

// How the k products of one instruction become fused groups.
enum class Lowering : uint8_t {
  fused,         // groups of `group` consecutive k, chained through the accumulator
  e4m3_via_f16,  // no native unit: operands widened to f16, k mod 4 in {0,1} then {2,3} from C = 0, then an IEEE add of
                 // C
  integer        // exact, wraps modulo 2^32
};

// One fused group D = C + sum of products. All terms are truncated toward zero to `fraction_bits` below the largest
// exponent among the terms that are not zero (never below `floor`), added exactly, truncated to `result_mantissa` bits.
struct DotRule {
  int group;            // products per fused group
  int fraction_bits;    // F
  int result_mantissa;  // 23 = full f32; 13 = e8m13, the low ten bits are zero
  int floor;            // smallest alignment exponent
};

// -133: found empirically on sm_90 (-132 and -134 both fail); only bf16 can reach it. Assumed for published rows, whose
// sources do not speak of it.
inline constexpr int kAlignmentFloor = -133;

struct MatrixInstruction {
  std::string_view arch;  // sm_90, ...
  std::string_view name;  // mma.sync.m16n8k16.f32.f16, ... (type: both operands; the accumulator is f32 or s32)
  std::string_view sass;  // machine instruction, where known
  MatrixUnit unit;
  Format operands;
  int k;  // products per instruction
  Lowering lowering;
  DotRule rule;  // unused for integer
  Evidence evidence;
  std::string_view source;
};

// The whole table.
std::span<const MatrixInstruction> matrix_instructions();

// The row, or nullptr when the table has none. k = 0 takes the largest k of that unit and format.
const MatrixInstruction* find_instruction(std::string_view arch, MatrixUnit unit, Format operands, int k = 0);
const MatrixInstruction* find_instruction(std::string_view arch, std::string_view name);

// Rows of sm_90 that attention kernels use most.
namespace sm_90 {
const MatrixInstruction& mma_f16();     // mma.sync m16n8k16
const MatrixInstruction& mma_bf16();    // mma.sync m16n8k16
const MatrixInstruction& mma_e4m3();    // mma.sync m16n8k32, two f16 steps and an add
const MatrixInstruction& mma_s8();      // mma.sync m16n8k32
const MatrixInstruction& wgmma_f16();   // wgmma m64nNk16
const MatrixInstruction& wgmma_bf16();  // wgmma m64nNk16
const MatrixInstruction& wgmma_e4m3();  // wgmma m64nNk32
}  // namespace sm_90

const char* name_of(MatrixUnit unit);
const char* name_of(Evidence evidence);

}  // namespace xqacheck::arith
