// The machine contracts what ptxas contracts: counted in machine code, for random blocks of sums and products and for the
// project's own kernel. Needs ptxas; without it the test says so and is skipped.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/sass/arithmetic.hpp"
#include "emulation/ptx/sass/ptxas.hpp"
#include "tests/catch.hpp"

namespace xqacheck::ptx::test {
namespace {

std::string ptxas_or_skip() {
  const std::string found = find_ptxas();
  if (found.empty()) std::cout << "needs ptxas of the CUDA toolkit: there is none\n";
  return found;
}

// `length` sums, differences and products of recent values; what nothing uses is stored, so that nothing is dead.
std::string random_block(std::uint32_t seed, unsigned length, const std::string& type) {
  std::mt19937 random(seed);  // its numbers are the same everywhere
  constexpr unsigned kInputs = 12;
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                     ".reg .f32 %f<64>; .reg .b64 %rd;\nld.param.u64 %rd,[p];\ncvta.to.global.u64 %rd,%rd;\n";
  for (unsigned i = 0; i < kInputs; ++i) text += fmt::format("ld.global.f32 %f{},[%rd+{}];\n", i, 4 * i);
  std::vector<bool> used(kInputs + length, false);
  std::vector<std::string> seen;  // ptxas computes equal expressions once
  for (unsigned value = kInputs; value < kInputs + length;) {
    const unsigned from = random() % 10 < 7 ? value - 8 : 0;
    const unsigned a = from + random() % (value - from), b = from + random() % (value - from);
    const unsigned choice = value < kInputs + 3 ? 0 : random() % 3;
    const std::string line = fmt::format("{} {} {}", choice, std::min(a, b), std::max(a, b));
    if (a == b || std::find(seen.begin(), seen.end(), line) != seen.end()) continue;
    seen.push_back(line);
    constexpr const char* kOpcodes[] = {"mul", "add", "sub"};
    text += fmt::format("{}.{} %f{},%f{},%f{};\n", kOpcodes[choice], type, value, a, b);
    used[a] = used[b] = true;
    ++value;
  }
  for (unsigned value = kInputs; value < kInputs + length; ++value)
    if (!used[value]) text += fmt::format("st.global.f32 [%rd+{}],%f{};\n", 4 * value, value);
  return text + "ret;\n}\n";
}

class TextFile {
 public:
  explicit TextFile(const std::string& text) : path_(std::filesystem::temp_directory_path() / fmt::format("xqacheck-sass-{}.ptx", getpid())) {
    std::ofstream(path_) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void check_blocks(std::uint32_t first, std::uint32_t count, unsigned length, const std::string& type, const std::string& ptxas) {
  std::uint64_t contracted = 0;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const std::string text = random_block(seed, length, type);
    const TextFile file(text);
    const ArithmeticCheck check = check_arithmetic(parse(text, "block.ptx"), file.path(), ptxas);
    INFO("seed " << seed << "\n" << text);
    CHECK(check.found.fma == check.expected.fma);
    CHECK(check.found.mul == check.expected.mul);
    CHECK(check.found.add == check.expected.add);
    contracted += check.contracted;
  }
  CHECK(contracted > count / 2);  // the check could have failed
}

TEST_CASE("Random blocks are contracted as ptxas does") {
  const std::string ptxas = ptxas_or_skip();
  if (ptxas.empty()) return;
  check_blocks(0, 20, 6, "f32", ptxas);
  check_blocks(100, 60, 12, "ftz.f32", ptxas);
  check_blocks(200, 20, 24, "f32", ptxas);
}

TEST_CASE("The project's own kernel has no contraction that its text does not show") {
  const std::string ptxas = ptxas_or_skip();
  if (ptxas.empty()) return;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(std::getenv("XQACHECK_SOURCE_DIR")) + "/fixtures/ptx")) {
    if (entry.path().extension() != ".ptx") continue;
    const ArithmeticCheck check = check_arithmetic(parse_file(entry.path().string()), entry.path().string(), ptxas);
    INFO(entry.path().filename().string());
    CHECK(check.contracted == 0);
    CHECK(check.verdict() != ArithmeticCheck::Verdict::different);
    CHECK(check.found.fma == check.expected.fma);
    files += check.text.fma > 0 ? 1 : 0;  // the others only fill buffers
  }
  CHECK(files == 6);
}

TEST_CASE("A contraction more or less is seen") {
  ArithmeticCheck check;
  check.expected = check.found = {10, 20, 30, 40};
  CHECK(check.verdict() == ArithmeticCheck::Verdict::equal);
  check.found = {9, 19, 31, 40};  // ptxas fused one that the machine did not
  CHECK(check.verdict() == ArithmeticCheck::Verdict::different);
  check.found = {11, 21, 29, 40};  // the other way round
  CHECK(check.verdict() == ArithmeticCheck::Verdict::different);
  check.found = {10, 20, 30, 39};
  CHECK(check.verdict() == ArithmeticCheck::Verdict::different);
  check.found = {10, 19, 30, 40};
  CHECK(check.verdict() == ArithmeticCheck::Verdict::products);
  check.found = {12, 24, 30, 40};
  CHECK(check.verdict() == ArithmeticCheck::Verdict::repeated);
}

TEST_CASE("What is no cubin is refused") {
  const std::vector<std::byte> nothing(10), zeros(200);
  CHECK_THROWS_WITH(count_sass(nothing), "cubin: not a 64-bit ELF file");
  CHECK_THROWS_WITH(count_sass(zeros), "cubin: not a 64-bit ELF file");
}

}  // namespace
}  // namespace xqacheck::ptx::test
