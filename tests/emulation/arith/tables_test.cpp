// The coefficient tables equal the recovered ones in fixtures/mufu; the table of instructions finds what it should.
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "emulation/arith/instruction.hpp"
#include "emulation/arith/mufu_tables.hpp"
#include "emulation/arith/plain/mufu.hpp"
#include "tests/catch.hpp"

namespace xqacheck::arith {
namespace {

template <int Segments>
void expect_table(const char* name, const MufuTable<Segments>& table) {
  INFO(name);
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  std::ifstream file(std::string(root != nullptr ? root : ".") + "/fixtures/mufu/" + name + ".csv");
  std::string line;
  REQUIRE(std::getline(file, line));
  CHECK_THAT(line, Catch::Contains("A=" + std::to_string(table.shift) + " C=" + std::to_string(table.constant) + ";"));
  REQUIRE(std::getline(file, line));
  for (int i = 0; i < Segments; ++i) {
    REQUIRE(std::getline(file, line));
    const MufuSegment& segment = table.segments[static_cast<size_t>(i)];
    std::ostringstream expected;
    expected << i << ',' << segment.k0 << ',' << segment.k1 << ',' << segment.k2;
    REQUIRE(line == expected.str());
  }
  CHECK_FALSE(std::getline(file, line));
}

TEST_CASE("MUFU tables equal the recovered ones") {
  expect_table("ex2", kEx2Table);
  expect_table("rcp", kRcpTable);
  expect_table("rsqrt", kRsqrtTable);
  expect_table("sqrt", kSqrtTable);
  expect_table("lg2", kLg2Table);
}

TEST_CASE("the squarer's table equals its definition") {
  for (uint32_t x = 0; x < 1 << 17; ++x) REQUIRE(plain::truncated_square(x) == plain::truncated_square_by_bits(x));
  CHECK(plain::truncated_square(131071) == 32759);
}

TEST_CASE("MUFU values that the measurements name") {
  CHECK(plain::ex2_approx_ftz_f32(0x33ffffff) == 0x3f800000);   // |x| < 2^-23 gives exactly 1
  CHECK(plain::ex2_approx_ftz_f32(0xc2fc0001) == 0);            // just below -126
  CHECK(plain::ex2_approx_ftz_f32(0xc2fc0000) == 0x00800000);   // -126
  CHECK(plain::ex2_approx_ftz_f32(0x43000000) == 0x7f800000);   // 128
  CHECK(plain::lg2_approx_ftz_f32(0x3e800000) == 0xbfffffff);   // lg2(1/4), not exact
  CHECK(plain::lg2_approx_ftz_f32(0x40800000) == 0x40000000);   // lg2(4) is
  for (uint32_t exponent = 1; exponent < 255; exponent += 2) {  // powers of four
    const uint32_t root = plain::rsqrt_approx_ftz_f32(exponent << 23);
    CHECK(root == (127 + (127 - exponent) / 2) << 23);
  }
}

TEST_CASE("instructions are found by unit, format and k, and by name") {
  const MatrixInstruction* row = find_instruction("sm_90", MatrixUnit::mma_sync, Format::bf16, 8);
  REQUIRE(row != nullptr);
  CHECK(row->rule.group == 8);
  CHECK(find_instruction("sm_90", MatrixUnit::mma_sync, Format::bf16) == &sm_90::mma_bf16());
  CHECK(find_instruction("sm_90", "wgmma.m64nNk32.f32.e4m3") == &sm_90::wgmma_e4m3());
  CHECK(find_instruction("sm_90", MatrixUnit::tcgen05, Format::bf16) == nullptr);
  CHECK(find_instruction("sm_42", MatrixUnit::mma_sync, Format::f16) == nullptr);
}

TEST_CASE("every row is complete, unique, and measured only on sm_90") {
  std::set<std::string> seen;
  for (const MatrixInstruction& row : matrix_instructions()) {
    INFO(row.arch << " " << row.name);
    CHECK(seen.insert(std::string(row.arch) + " " + std::string(row.name)).second);
    CHECK((row.evidence == Evidence::measured) == (row.arch == "sm_90"));
    CHECK_FALSE(row.source.empty());
    if (row.lowering == Lowering::integer) continue;
    CHECK(row.k % row.rule.group == 0);
    CHECK((row.rule.result_mantissa == 23 || row.rule.result_mantissa == 13));
  }
}

}  // namespace
}  // namespace xqacheck::arith
