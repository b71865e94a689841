// Which products are contracted into sums. What is expected is what ptxas 13.0 makes of the same text for sm_90a, read in
// its machine code; test_emulation_ptx_sass repeats that with random text where ptxas is there.
#include "emulation/ptx/decode/contraction.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace xqacheck::ptx::test {
namespace {

struct Counts {
  int fma = 0, product = 0, sum = 0;
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.fma << " fma, " << c.product << " mul, " << c.sum << " add";
}

Counts counts_of(const std::string& body) {
  const Module module = parse(kernel_text(".reg .f64 %d<9>; .reg .b32 %x<9>;\n" + body), "test.ptx");
  const Function& function = *module.find("kernel");
  const Function contracted = contract(function, find_contractions(function));
  Counts counts;
  for (const auto& instruction : contracted.body) {
    const bool is_float = std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(), [](const auto& modifier) {
      return modifier == "f32" || modifier == "f64" || modifier == "f16x2";
    });
    if (!is_float) continue;
    counts.fma += instruction.opcode == "fma";
    counts.product += instruction.opcode == "mul";
    counts.sum += instruction.opcode == "add" || instruction.opcode == "sub";
  }
  return counts;
}

std::string keep(const std::string& reg) {
  return "st.global.f32 [%out], " + reg + ";\n";
}

TEST_CASE("A product whose every use is a sum without a rounding becomes a part of the sums") {
  const std::string product = "mul.f32 %f10, %f0, %f1;\n";
  CHECK(counts_of(product + "add.f32 %f11, %f10, %f2;\n" + keep("%f11")) == Counts{1, 0, 0});
  CHECK(counts_of(product + "sub.f32 %f11, %f2, %f10;\n" + keep("%f11")) == Counts{1, 0, 0});
  CHECK(counts_of(product + "add.f32 %f11, %f10, 0f3FB8AA3B;\n" + keep("%f11")) == Counts{1, 0, 0});
  CHECK(counts_of(product + "@%p1 add.f32 %f11, %f10, %f2;\n" + keep("%f11")) == Counts{1, 0, 0});
  CHECK(counts_of(product + "add.f32 %f11, %f10, %f2;\nadd.f32 %f12, %f10, %f3;\n" + keep("%f11") + keep("%f12")) == Counts{2, 0, 0});
  CHECK(counts_of("mul.ftz.f32 %f10, %f0, %f1;\nadd.ftz.f32 %f11, %f10, %f2;\n" + keep("%f11")) == Counts{1, 0, 0});
  CHECK(counts_of("mul.f64 %d3, %d0, %d1;\nadd.f64 %d4, %d3, %d2;\nst.global.f64 [%out], %d4;\n") == Counts{1, 0, 0});
  CHECK(counts_of("mul.f16x2 %x3, %x0, %x1;\nsub.f16x2 %x4, %x3, %x2;\nst.global.b32 [%out], %x4;\n") == Counts{1, 0, 0});
}

TEST_CASE("A product or sum with a rounding, another use or another place is left alone") {
  const std::string product = "mul.f32 %f10, %f0, %f1;\n";
  const Counts apart{0, 1, 1};
  CHECK(counts_of("mul.rn.f32 %f10, %f0, %f1;\nadd.f32 %f11, %f10, %f2;\n" + keep("%f11")) == apart);
  CHECK(counts_of(product + "add.rn.f32 %f11, %f10, %f2;\n" + keep("%f11")) == apart);
  CHECK(counts_of(product + "add.ftz.f32 %f11, %f10, %f2;\n" + keep("%f11")) == apart);
  CHECK(counts_of(product + "add.f32 %f11, %f10, %f10;\n" + keep("%f11")) == apart);
  CHECK(counts_of(product + "add.f32 %f11, %f10, %f2;\n" + keep("%f11") + keep("%f10")) == apart);
  CHECK(counts_of(product + "@%p1 bra over;\nadd.f32 %f11, %f10, %f2;\n" + keep("%f11") + "over:\n") == apart);
  CHECK(counts_of("@%p1 mul.f32 %f10, %f0, %f1;\n@%p1 add.f32 %f11, %f10, %f2;\n" + keep("%f11")) == apart);
  // The value goes round the loop and into the sum of the next turn.
  CHECK(counts_of("again:\nadd.f32 %f11, %f10, %f2;\n" + keep("%f11") + "mul.f32 %f10, %f0, %f1;\n@%p1 bra again;\n") == apart);
}

TEST_CASE("Of two products the one with fewer uses is taken, then the first") {
  // Softmax of the public kernel: x * c - m * c, the second product shared.
  const Module shared = parse(kernel_text("mul.f32 %f10, %f0, %f9;\nmul.f32 %f11, %f1, %f9;\nsub.f32 %f12, %f11, %f10;\n"
                                          "mul.f32 %f13, %f2, %f9;\nsub.f32 %f14, %f13, %f10;\n" + keep("%f12") + keep("%f14")), "test.ptx");
  const Function& function = *shared.find("kernel");
  const auto line_of = [&](std::uint32_t index) { return function.body[index].place.line - function.body[6].place.line; };
  Contractions found = find_contractions(function);
  REQUIRE(found.product_of.size() == 2);
  for (const auto& [sum, product] : found.product_of) CHECK(line_of(sum) == line_of(product) + 1);
  CHECK(found.vanished.size() == 2);

  CHECK(counts_of("mul.f32 %f10, %f0, %f1;\nmul.f32 %f11, %f2, %f3;\nadd.f32 %f12, %f10, %f11;\n" + keep("%f12")) == Counts{1, 1, 0});
  // The second sum needs the first product as an addend, so no sum takes it.
  CHECK(counts_of("mul.f32 %f10, %f0, %f1;\nsub.f32 %f13, %f2, %f10;\nmul.f32 %f12, %f3, %f1;\nsub.f32 %f14, %f12, %f10;\n" +
                  keep("%f13") + keep("%f14")) == Counts{1, 1, 1});
  // A product may be part of one sum and an addend of a later one.
  CHECK(counts_of("mul.f32 %f3, %f0, %f1;\nadd.f32 %f4, %f3, %f2;\nmul.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f5, %f3;\n"
                  "add.f32 %f7, %f4, %f5;\n" + keep("%f6") + keep("%f7")) == Counts{3, 1, 0});
}

std::uint32_t result_of(const std::string& body) { return run_text(kernel_text(body + "mov.b32 %r0, %f11;\n" + store_r0()), 1, 32)[0]; }

TEST_CASE("A contracted sum rounds once") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product alone loses the last term.
  const std::string operands = "mov.f32 %f0, 0f3F800800;\nmov.f32 %f2, 0f3F801000;\n";
  CHECK(result_of(operands + "mul.f32 %f10, %f0, %f0;\nsub.f32 %f11, %f10, %f2;\n") == 0x33800000u);
  CHECK(result_of(operands + "mul.f32 %f10, %f0, %f0;\nsub.f32 %f11, %f2, %f10;\n") == 0xb3800000u);
  CHECK(result_of(operands + "neg.f32 %f2, %f2;\nmul.ftz.f32 %f10, %f0, %f0;\nadd.ftz.f32 %f11, %f10, %f2;\n") == 0x33800000u);
  CHECK(result_of(operands + "mul.rn.f32 %f10, %f0, %f0;\nsub.f32 %f11, %f10, %f2;\n") == 0u);
  // A product that overwrites its operand, and an operand that changes before the sum.
  CHECK(result_of(operands + "mul.f32 %f0, %f0, %f0;\nsub.f32 %f11, %f0, %f2;\n") == 0x33800000u);
  CHECK(result_of(operands + "mul.f32 %f10, %f0, %f0;\nmov.f32 %f0, 0f00000000;\nsub.f32 %f11, %f10, %f2;\n") == 0x33800000u);
  // Labels behind removed products still lead where they did.
  CHECK(result_of(operands + "setp.eq.u32 %p0, %n, 0;\nmov.f32 %f11, %f2;\n@%p0 bra here;\nmul.f32 %f10, %f0, %f0;\n"
                  "sub.f32 %f11, %f10, %f2;\nhere:\nmul.f32 %f12, %f0, %f0;\nsub.f32 %f11, %f12, %f2;\n") == 0x33800000u);
}

}  // namespace
}  // namespace xqacheck::ptx::test
