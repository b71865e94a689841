// Device-made vectors: no mismatch, and the deliberate errors of plain::DotFault are noticed.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "emulation/arith/vectors.hpp"
#include "tests/catch.hpp"

namespace xqacheck::arith {
namespace {

std::filesystem::path fixture(const std::string& name) {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  return std::filesystem::path(root != nullptr ? root : ".") / "fixtures/vectors" / name;
}

void expect_clean(const std::string& name, size_t records) {
  const VectorResult result = check_vectors(read_vectors(fixture(name)));
  INFO(name << ": " << result.first_mismatch);
  CHECK(result.records == records);
  CHECK(result.mismatches == 0);
}

TEST_CASE("device-made vectors agree with both forms") {
  for (const char* name :
       {"mma_f16.bin", "mma_bf16.bin", "mma_e4m3.bin", "wgmma_f16.bin", "wgmma_bf16.bin", "wgmma_e4m3.bin"}) {
    expect_clean(name, 1024);
  }
  expect_clean("deep_mma_bf16.bin", 2048);
  expect_clean("deep_wgmma_bf16.bin", 2048);
  expect_clean("mufu.bin", 10240);
}

TEST_CASE("the vectors notice every deliberate error of the rule") {
  plain::DotFault wider, narrower, zeros, no_floor;
  wider.fraction_bits_delta = 1;
  narrower.fraction_bits_delta = -1;
  zeros.zero_products_set_exponent = true;
  no_floor.no_floor = true;
  for (const char* name :
       {"mma_f16.bin", "mma_bf16.bin", "mma_e4m3.bin", "wgmma_f16.bin", "wgmma_bf16.bin", "wgmma_e4m3.bin"}) {
    const VectorFile file = read_vectors(fixture(name));
    INFO(name);
    CHECK(check_vectors(file, wider).mismatches > 0);
    CHECK(check_vectors(file, narrower).mismatches > 0);
    // Widened e4m3: a zero product has exponent -6 at most, which cuts nothing off any product (last bit 2^-24).
    if (file.instruction->lowering != Lowering::e4m3_via_f16) CHECK(check_vectors(file, zeros).mismatches > 0);
  }
  // About one deep record in 3000 reaches the floor, so only both files together are sure to notice.
  CHECK(check_vectors(read_vectors(fixture("deep_mma_bf16.bin")), no_floor).mismatches +
            check_vectors(read_vectors(fixture("deep_wgmma_bf16.bin")), no_floor).mismatches >
        0);
}

TEST_CASE("bad vector files are refused with the reason") {
  const auto folder = std::filesystem::temp_directory_path() / "xqacheck_vectors_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, size_t bytes, char fill = 0) {
    std::ofstream(folder / name, std::ios::binary) << std::string(bytes, fill);
    return folder / name;
  };
  CHECK_THROWS_WITH(read_vectors(write("other.bin", 72)), Catch::Contains("'other'") && Catch::Contains("mma_f16"));
  CHECK_THROWS_WITH(read_vectors(write("mma_f16.bin", 71)), Catch::Contains("71 bytes is no multiple"));
  CHECK_THROWS_WITH(read_vectors(write("mma_f16.bin", 0)), Catch::Contains("is empty"));
  CHECK_THROWS_WITH(read_vectors(write("mufu.bin", 12, 9)), Catch::Contains("is not 0 to 4"));
  CHECK_THROWS_WITH(read_vectors(folder / "absent" / "mufu.bin"), Catch::Contains("cannot be read"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace xqacheck::arith
