// Launch descriptions: what they mean, and what is said about wrong ones.
#include "emulation/ptx/launch/description.hpp"

#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace xqacheck::ptx::test {
namespace {

std::string error_of(const std::string& json) {
  try {
    parse_description(json, ".");
    return "";
  } catch (const PtxError& error) {
    return error.what();
  }
}

TEST_CASE("A description runs a kernel on buffers made from patterns") {
  const auto description = parse_description(
      R"({"grid": 2, "block": [32, 1, 1], "buffers": {"o": {"bytes": 256, "fill": 255}}, "arguments": [{"buffer": "o"}, {"u32": 5}]})", ".");
  Machine machine;
  LoadedModule module(machine, parse(kernel_text("add.s32 %r0, %t, %n;" + store_r0()), "test.ptx"));
  const auto contents = run_description(machine, module, description);
  std::uint32_t words[64];
  REQUIRE(contents.at("o").size() == sizeof words);
  std::memcpy(words, contents.at("o").data(), sizeof words);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(words[i] == i + 5);
}

TEST_CASE("Wrong descriptions name the field and the fix") {
  CHECK(error_of("{").find("launch description: JSON") != std::string::npos);
  CHECK(error_of(R"({"grid": [1]})") == "launch description: block: the size of a CTA is missing");
  CHECK(error_of(R"({"block": 32, "gird": 1})").find("there is no key 'gird'; there are kernel, grid") != std::string::npos);
  CHECK(error_of(R"({"block": -1})") == "launch description: block: one to three numbers are needed, such as [2, 1, 1]");
  CHECK(error_of(R"({"block": 32, "buffers": {"a": {}}})") == "launch description: buffers.a.bytes: the size is missing");
  CHECK(error_of(R"({"block": 32, "buffers": {"a": {"file": "/nonexistent/a.bin"}}})").find("buffers.a.file: /nonexistent/a.bin cannot be read") != std::string::npos);
  CHECK(error_of(R"({"block": 32, "buffers": {"a": {"bytes": 4, "fill": 256}}})") == "launch description: buffers.a.fill: a byte is 0 to 255");
  CHECK(error_of(R"({"block": 32, "arguments": [{}]})") == "launch description: arguments[0]: a buffer or a value is needed, such as {\"u32\": 7}");
}

TEST_CASE("Numbers that do not fit are refused, not cut off") {
  CHECK(error_of(R"({"block": 4294967328})") == "launch description: block: 4294967328 is not possible; 1 to 1024 are");
  CHECK(error_of(R"({"block": 0})") == "launch description: block: 0 is not possible; 1 to 1024 are");
  // The product is 2^64 + 32.
  CHECK(error_of(R"({"block": 32, "grid": [1824726041, 105305443, 96]})").find("grid[0]: 1824726041 is not possible") != std::string::npos);
  CHECK(error_of(R"({"block": 32, "grid": [16777216, 2]})") == "launch description: grid: the product is more than 16777216");
  CHECK(error_of(R"({"block": 32, "shared": 4294967296})") == "launch description: shared: 4294967296 is not possible; 0 to 232448 are");
  CHECK(error_of(R"({"block": 32, "repeat": 0})") == "launch description: repeat: 0 is not possible; 1 to 10000 are");
  for (const char* value : {R"({"u8": 256})", R"({"u8": -1})", R"({"s8": 128})", R"({"s8": -129})", R"({"u32": -1})"}) {
    CAPTURE(value);
    CHECK(error_of(std::string(R"({"block": 32, "arguments": [)") + value + "]}").find(" bits") != std::string::npos);
  }
  for (const char* value : {R"({"u8": 255})", R"({"s8": 127})", R"({"s8": -128})", R"({"u64": 18446744073709551615})", R"({"s64": -9223372036854775808})"}) {
    CAPTURE(value);
    CHECK(error_of(std::string(R"({"block": 32, "arguments": [)") + value + "]}").empty());
  }
}

TEST_CASE("Outputs that cannot be written are refused before the run") {
  const auto with_output = [](const std::string& outputs) { return error_of(R"({"block": 32, "buffers": {)" + outputs + "}}"); };
  CHECK(with_output(R"("a": {"bytes": 4, "output": "/"})").find("buffers.a.output: / is a folder; name a file") != std::string::npos);
  CHECK(with_output(R"("a": {"bytes": 4, "output": "/nonexistent/x"})").find("/nonexistent is no folder") != std::string::npos);
  CHECK(with_output(R"("a": {"bytes": 4, "output": "/tmp/x"}, "b": {"bytes": 4, "output": "/tmp/./x"})").find("is the output of a too") !=
        std::string::npos);
}

TEST_CASE("Arguments must be those of the kernel") {
  Machine machine;
  LoadedModule module(machine, parse(kernel_text(""), "test.ptx"));
  const auto run = [&](const std::string& arguments) -> std::string {
    try {
      run_description(machine, module, parse_description(R"({"block": 32, "arguments": )" + arguments + "}", "."));
      return "";
    } catch (const PtxError& error) {
      return error.what();
    }
  };
  CHECK(run("[]") == "launch description: arguments: kernel kernel takes 2, the description has 0");
  CHECK(run(R"([{"null": 0}, {"u64": 1}])") == "launch description: arguments[1]: the parameter has 4 bytes, the value 8");
  CHECK(run(R"([{"buffer": "x"}, {"u32": 1}])") == "launch description: arguments[0].buffer: there is no buffer 'x'");
}

}  // namespace
}  // namespace xqacheck::ptx::test
