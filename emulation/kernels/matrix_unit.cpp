#include "emulation/kernels/matrix_unit.hpp"

#include <array>
#include <vector>

#include "emulation/arith/plain/convert.hpp"
#include "emulation/kernels/geometry.hpp"

namespace xqacheck::emulation {

arith::MatrixInstruction instruction_of(const Recipe& recipe, arith::Format operands) {
  const auto unit = recipe.family == Family::gmma ? arith::MatrixUnit::wgmma : arith::MatrixUnit::mma_sync;
  const arith::MatrixInstruction* row = arith::find_instruction(recipe.arch, unit, operands);
  // An architecture without wgmma runs the same recipe on what it has: the user sees how the results would differ.
  for (const auto other : {arith::MatrixUnit::mma_sync, arith::MatrixUnit::tcgen05}) {
    if (row == nullptr) row = arith::find_instruction(recipe.arch, other, operands);
  }
  if (row == nullptr) {
    throw RecipeError("arch: no matrix instruction of " + recipe.arch + " takes " + arith::name_of(operands) +
                      " operands; the table of emulation/arith/instruction.cpp has those that are known");
  }
  arith::MatrixInstruction instruction = *row;
  const auto& rule = operands == arith::Format::e4m3 ? recipe.e4m3_rule : recipe.half_rule;
  if (rule) instruction.rule = *rule, instruction.lowering = arith::Lowering::fused;
  return instruction;
}

MatrixUnit::MatrixUnit(const Recipe& recipe, arith::Format operands) : instruction_(instruction_of(recipe, operands)) {
  if (operands == arith::Format::e4m3) {
    const std::vector<std::uint8_t> ones(kTile, 0x38);
    ones_ = columns(1, kTile, kTile, ones.data());
  } else {
    const std::vector<std::uint16_t> ones(kTile, operands == arith::Format::bf16 ? 0x3f80 : 0x3c00);
    ones_ = columns(1, kTile, kTile, ones.data());
  }
}

arith::DecodedOperand MatrixUnit::rows(std::uint32_t count, std::uint32_t k, std::uint32_t leading, const void* bits) const {
  return arith::decode_rows(instruction_, {instruction_.operands, bits, count, k, leading, true});
}

arith::DecodedOperand MatrixUnit::columns(std::uint32_t count, std::uint32_t k, std::uint32_t leading, const void* bits) const {
  return arith::decode_columns(instruction_, {instruction_.operands, bits, count, k, leading, true});
}

arith::DecodedOperand MatrixUnit::columns_across(std::uint32_t count, std::uint32_t k, std::uint32_t leading,
                                                 const void* bits) const {
  return arith::decode_columns(instruction_, {instruction_.operands, bits, count, k, leading, false});
}

void MatrixUnit::multiply(const arith::DecodedOperand& rows, const arith::DecodedOperand& columns, float* c,
                          std::uint32_t leading) const {
  arith::multiply(instruction_, rows, columns, reinterpret_cast<std::uint32_t*>(c), leading);
}

const std::uint16_t* widening_table(arith::Format narrow, arith::Format wide) {
  const auto make = [](arith::Format from, arith::Format to) {
    std::array<std::uint16_t, 256> table;
    for (std::uint32_t i = 0; i < 256; ++i) {
      const auto byte = static_cast<std::uint8_t>(i);
      if (from == arith::Format::e4m3) {
        table[i] = to == arith::Format::bf16 ? arith::plain::cvt_bf16_e4m3(byte) : arith::plain::cvt_f16_e4m3(byte);
      } else {
        const auto integer = static_cast<std::int8_t>(byte);
        table[i] = to == arith::Format::bf16 ? arith::plain::cvt_rn_bf16_s32(integer) : arith::plain::cvt_rn_f16_s32(integer);
      }
    }
    return table;
  };
  static const auto e4m3_bf16 = make(arith::Format::e4m3, arith::Format::bf16);
  static const auto e4m3_f16 = make(arith::Format::e4m3, arith::Format::f16);
  static const auto s8_bf16 = make(arith::Format::s8, arith::Format::bf16);
  static const auto s8_f16 = make(arith::Format::s8, arith::Format::f16);
  if (narrow == arith::Format::e4m3) return wide == arith::Format::bf16 ? e4m3_bf16.data() : e4m3_f16.data();
  return wide == arith::Format::bf16 ? s8_bf16.data() : s8_f16.data();
}

}  // namespace xqacheck::emulation
