// xqacheck arith: exit codes, the table, and messages that name the file and the fault.
#include <cstdlib>
#include <string>

#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

std::string fixture(const std::string& name) {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  return std::string(root != nullptr ? root : ".") + "/fixtures/vectors/" + name;
}

// One record of mufu: ex2(0) = 1.
std::string ex2_of_zero(char lowest_byte_of_result) {
  return std::string(8, '\0') + std::string{lowest_byte_of_result, '\0', '\x80', '\x3f'};
}

}  // namespace

TEST_CASE("device-made vectors: 0 mismatches, exit 0") {
  const Workplace place;
  const ToolResult result =
      place.run({"arith", fixture("mma_bf16.bin"), fixture("wgmma_e4m3.bin"), fixture("mufu.bin")});
  CHECK(result.exit == 0);
  CHECK_THAT(result.out, Contains("12288          0  total"));
}

TEST_CASE("one wrong bit: exit 1, and the record is named") {
  const Workplace place;
  place.write("mufu.bin", ex2_of_zero(0) + ex2_of_zero(1));
  const ToolResult result = place.run({"arith", place.path("mufu.bin")});
  CHECK(result.exit == 1);
  CHECK_THAT(result.out, Contains("2          1") && Contains("record 1: device 0x3f800001, plain 0x3f800000"));
}

TEST_CASE("files that are no vectors: exit 2, nothing printed but the reason") {
  const Workplace place;
  place.write("mufu.bin", "short");
  place.write("other.bin", ex2_of_zero(0));
  place.write("mma_f16.bin", "");
  const std::pair<std::string, std::string> faults[] = {{"mufu.bin", "no multiple of the record size 12"},
                                                        {"other.bin", "rename it to one of: mma_f16"},
                                                        {"mma_f16.bin", "is empty"},
                                                        {"absent/mufu.bin", "cannot be read"}};
  for (const auto& [name, message] : faults) {
    const ToolResult result = place.run({"arith", fixture("mufu.bin"), place.path(name)});
    INFO(name);
    CHECK(result.exit == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(name) && Contains(message));
  }
  CHECK(place.run({"arith"}).exit == 2);
}
