// Delays written into the text of a kernel.
#include "emulation/ptx/replay/delay.hpp"

#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::test;

TEST_CASE("delays are read with lines, times and warps") {
  Delay delay;
  std::string why;
  REQUIRE(parse_delay("5015=100000@5,6", delay, why));
  CHECK(to_text(delay) == "100000 ns before ptx line 5015 in warps 5, 6");
  REQUIRE(parse_delay("7=20", delay, why));
  CHECK(to_text(delay) == "20 ns before ptx line 7");
  for (const char* text :
       {"", "7", "7=", "=5", "7=0", "0=7", "7=5@", "7=5@1,", "7=5@32", "7=5@1;2", "7=5x", "7=1000000000"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_delay(text, delay, why));
    CHECK(why.find("LINE=NANOSECONDS") != std::string::npos);
  }
}

TEST_CASE("a delayed warp comes later, the others do not") {
  // Three warps of a 16 x 2 x 3 block each write their number to out[0]; in order the last one stays.
  const std::string text = kernel_text(
      "mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ntid.y; mad.lo.u32 %r1, %r2, %r3, %r1;\n"
      "mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3; shr.u32 %r1, %r1, 5;\n"
      "st.volatile.global.u32 [%out], %r1;");
  const Module module = parse(text, "test.ptx");
  std::uint32_t line = 0;
  for (const Instruction& instruction : module.functions[0].body)
    if (instruction.opcode == "st") line = instruction.place.line;
  const auto last = [&](const std::string& delayed) {
    Machine machine;
    LoadedModule loaded(machine, parse(delayed, "test.ptx"));
    const std::uint64_t out = machine.memory().allocate(4, 256, "out");
    Launch launch;
    launch.program = loaded.kernel("kernel");
    launch.grid = {1, 1, 1}, launch.block = {16, 2, 3};
    launch.parameters.resize(12);
    std::memcpy(launch.parameters.data(), &out, 8);
    machine.run({launch});
    std::uint32_t value = 99;
    std::memcpy(&value, machine.memory().at(out, 4), 4);
    return value;
  };
  CHECK(last(text) == 2);
  CHECK(last(with_delay(text, module, {line, 1500000, {1}})) == 1);
  CHECK(last(with_delay(text, module, {line, 1000, {0}})) == 0);
  CHECK(last(with_delay(text, module, {line, 1000, {7}})) == 2);  // no such warp: as without
  CHECK_NOTHROW(parse(with_delay(text, module, {line, 5, {}}), "test.ptx"));
}

TEST_CASE("a line without an instruction cannot be delayed") {
  const Module module = parse(kernel_text(""), "test.ptx");
  CHECK_THROWS_WITH(with_delay(kernel_text(""), module, {2, 100, {}}),
                    "test.ptx: no instruction begins in line 2: none can be delayed");
}

}  // namespace
