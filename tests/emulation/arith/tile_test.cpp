// Fast tiles against the plain rule: every row of the table, every kind of operand, every vector unit of this machine.
#include "emulation/arith/tile.hpp"

#include "emulation/arith/plain/tile.hpp"
#include "emulation/arith/probe/draw.h"
#include "tests/catch.hpp"
#include "tests/emulation/arith/drawn_tile.hpp"
#include "tests/emulation/arith/targets.hpp"

namespace xqacheck::arith {
namespace {

size_t differences(const std::vector<uint32_t>& x, const std::vector<uint32_t>& y) {
  size_t count = 0;
  for (size_t i = 0; i < x.size(); ++i) count += x[i] != y[i] ? 1 : 0;
  return count;
}

TEST_CASE("fast tiles equal the plain rule on every instruction, kind and vector unit") {
  for (const MatrixInstruction& instruction : matrix_instructions()) {
    for (uint32_t kind = 0; kind < draw::kKinds; ++kind) {
      // 35 columns: a full block and a bit; a last k-step that is short.
      const auto k = static_cast<size_t>(instruction.k) * 2 + 4;
      const DrawnTile tile(instruction, kind, kind, 5, 35, k);
      std::vector<uint32_t> expected = tile.c;
      plain::multiply_tile(instruction, tile.view_a(), tile.view_b(), expected.data(), tile.columns);
      for_each_target([&](const char* target) {
        INFO(instruction.arch << " " << instruction.name << ", kind " << kind << ", " << target);
        std::vector<uint32_t> result = tile.c;
        multiply_tile(instruction, tile.view_a(), tile.view_b(), result.data(), tile.columns);
        CHECK(differences(result, expected) == 0);
        result = tile.c;
        multiply_tile(instruction, tile.view_a(), tile.view_b_k_major(), result.data(), tile.columns);
        CHECK(differences(result, expected) == 0);
      });
    }
  }
}

TEST_CASE("the drawn kinds notice every deliberate error of the rule") {
  // The probe's negative controls rest on this: on the instruction named, each fault changes some output.
  const auto noticed = [](const MatrixInstruction& instruction, const plain::DotFault& fault) {
    size_t count = 0;
    for (uint32_t kind = 0; kind < draw::kKinds; ++kind) {
      const DrawnTile tile(instruction, kind, 7, 16, 32, static_cast<size_t>(instruction.k));
      std::vector<uint32_t> right = tile.c;
      std::vector<uint32_t> wrong = tile.c;
      plain::multiply_tile(instruction, tile.view_a(), tile.view_b(), right.data(), tile.columns);
      plain::multiply_tile(instruction, tile.view_a(), tile.view_b(), wrong.data(), tile.columns, fault);
      count += differences(right, wrong);
    }
    return count;
  };
  plain::DotFault wider, narrower, zeros, no_floor;
  wider.fraction_bits_delta = 1;
  narrower.fraction_bits_delta = -1;
  zeros.zero_products_set_exponent = true;
  no_floor.no_floor = true;
  for (const MatrixInstruction& instruction : matrix_instructions()) {
    if (instruction.lowering == Lowering::integer) continue;
    INFO(instruction.arch << " " << instruction.name);
    CHECK(noticed(instruction, wider) > 0);
    CHECK(noticed(instruction, narrower) > 0);
    // Widened e4m3: a zero product has exponent -6 at most and keeps 2^-31, below the last bit (2^-24) of any product.
    if (instruction.lowering != Lowering::e4m3_via_f16) CHECK(noticed(instruction, zeros) > 0);
    const bool reaches_floor = instruction.operands == Format::bf16 && instruction.evidence == Evidence::measured;
    if (reaches_floor) CHECK(noticed(instruction, no_floor) > 0);
  }
}

TEST_CASE("the largest sums: all mantissas of ones, beyond 2^31 grid units") {
  for (const MatrixInstruction* instruction : {&sm_90::mma_f16(), &sm_90::mma_bf16()}) {
    const uint16_t largest = 0x3fff;  // 2047/1024 as f16; 255/128 as bf16, whose exponent 127 is the same bits
    const std::vector<uint16_t> a(16, largest), b(32 * 16, largest);
    const OperandView view_a{instruction->operands, a.data(), 1, 16, 16};
    const OperandView view_b{instruction->operands, b.data(), 32, 16, 16};
    for (const uint32_t c : {0x00000000u, 0x3fffffffu, 0x407fffffu, 0xbfffffffu, 0xc07fffffu, 0x4c7fffffu}) {
      std::vector<uint32_t> expected(32, c);
      plain::multiply_tile(*instruction, view_a, view_b, expected.data(), 32);
      for_each_target([&](const char* target) {
        INFO(instruction->name << " " << target << " C " << c);
        std::vector<uint32_t> result(32, c);
        multiply_tile(*instruction, view_a, view_b, result.data(), 32);
        CHECK(differences(result, expected) == 0);
      });
    }
  }
}

TEST_CASE("tiles of every width agree with single columns") {
  const MatrixInstruction& instruction = sm_90::mma_bf16();
  for (size_t columns = 1; columns <= 70; ++columns) {
    const DrawnTile tile(instruction, draw::kSpread, 3, 2, columns, 48);
    std::vector<uint32_t> result = tile.c;
    multiply_tile(instruction, tile.view_a(), tile.view_b(), result.data(), columns);
    for (size_t column = 0; column < columns; ++column) {
      OperandView single = tile.view_b();
      single.bits = single.element(column, 0);
      single.vectors = 1;
      for (size_t row = 0; row < tile.rows; ++row) {
        OperandView one_row = tile.view_a();
        one_row.bits = one_row.element(row, 0);
        one_row.vectors = 1;
        uint32_t element = tile.c[row * columns + column];
        multiply_tile(instruction, one_row, single, &element, 1);
        REQUIRE(element == result[row * columns + column]);
      }
    }
  }
}

TEST_CASE("the rule is symmetric: the transposed product has the same bits") {
  const MatrixInstruction& instruction = sm_90::wgmma_e4m3();
  const DrawnTile tile(instruction, draw::kModerate, 1, 16, 64, 128);
  std::vector<uint32_t> straight(16 * 64, 0);
  std::vector<uint32_t> transposed(16 * 64, 0);
  multiply_tile(instruction, tile.view_a(), tile.view_b(), straight.data(), 64);
  multiply_tile(instruction, tile.view_b(), tile.view_a(), transposed.data(), 16);
  for (size_t r = 0; r < 16; ++r) {
    for (size_t c = 0; c < 64; ++c) REQUIRE(straight[r * 64 + c] == transposed[c * 16 + r]);
  }
}

TEST_CASE("untouched memory beside the tile stays untouched") {
  const MatrixInstruction& instruction = sm_90::mma_f16();
  const DrawnTile tile(instruction, draw::kModerate, 2, 3, 9, 16);
  constexpr size_t kLeading = 40;
  std::vector<uint32_t> c(3 * kLeading, 0xdeadbeef);
  for (size_t r = 0; r < 3; ++r) std::copy_n(&tile.c[r * 9], 9, &c[r * kLeading]);
  multiply_tile(instruction, tile.view_a(), tile.view_b(), c.data(), kLeading);
  for (size_t r = 0; r < 3; ++r) {
    for (size_t j = 9; j < kLeading; ++j) REQUIRE(c[r * kLeading + j] == 0xdeadbeef);
  }
}

TEST_CASE("operands that do not belong together are refused") {
  const DrawnTile f16(sm_90::mma_f16(), draw::kModerate, 0, 2, 2, 16);
  const DrawnTile longer(sm_90::mma_f16(), draw::kModerate, 0, 2, 2, 32);
  const DecodedOperand rows = decode_rows(sm_90::mma_f16(), f16.view_a());
  const DecodedOperand columns = decode_columns(sm_90::mma_f16(), f16.view_b());
  uint32_t c[4] = {};
  CHECK_THROWS_WITH(decode_rows(sm_90::mma_bf16(), f16.view_a()), Catch::Contains("format"));
  CHECK_THROWS_WITH(multiply(sm_90::mma_f16(), columns, rows, c, 2), Catch::Contains("roles"));
  CHECK_THROWS_WITH(multiply(sm_90::mma_bf16(), rows, columns, c, 2), Catch::Contains("another kind"));
  CHECK_THROWS_WITH(multiply(sm_90::mma_f16(), rows, decode_columns(sm_90::mma_f16(), longer.view_b()), c, 2),
                    Catch::Contains("differ in k"));
}

}  // namespace
}  // namespace xqacheck::arith
