#include "emulation/ptx/sass/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "emulation/ptx/decode/contraction.hpp"
#include "emulation/ptx/sass/ptxas.hpp"

namespace xqacheck::ptx {
namespace {

enum class Kind { other, single, half };

Kind kind_of(const Instruction& instruction) {
  for (const auto& modifier : instruction.modifiers) {
    if (modifier == "f32") return Kind::single;
    if (modifier == "f16" || modifier == "f16x2" || modifier == "bf16" || modifier == "bf16x2") return Kind::half;
  }
  return Kind::other;
}

// A sum with zero is a move in machine code too: it flushes a denormal.
bool is_sum(const Instruction& instruction) {
  if (instruction.opcode != "add" && instruction.opcode != "sub") return false;
  return std::none_of(instruction.operands.begin(), instruction.operands.end(), [](const Operand& operand) {
    return operand.kind == OperandKind::immediate && operand.bits << 33 == 0;
  });
}

SassCounts counts_of(const Function& function) {
  SassCounts counts;
  for (const auto& instruction : function.body) {
    const Kind kind = kind_of(instruction);
    const bool sum = is_sum(instruction), product = instruction.opcode == "mul", fused = instruction.opcode == "fma";
    if (kind == Kind::half) counts.half += sum || product || fused;
    if (kind != Kind::single) continue;
    counts.add += sum, counts.mul += product, counts.fma += fused;
  }
  return counts;
}

// Opcodes of f32 that are sequences of other instructions, by their text: how often each appears.
std::map<std::string, std::uint64_t> sequences_of(const Function& function) {
  constexpr std::string_view kOpcodes[] = {"rcp", "sqrt", "rsqrt", "div", "ex2", "lg2"};
  std::map<std::string, std::uint64_t> found;
  for (const auto& instruction : function.body)
    if (kind_of(instruction) == Kind::single &&
        std::find(std::begin(kOpcodes), std::end(kOpcodes), instruction.opcode) != std::end(kOpcodes))
      ++found[instruction.text()];
  return found;
}

// Nothing but `count` of the instruction, on values that ptxas does not know.
std::string kernel_of(const std::string& text, std::uint64_t count) {
  std::string body;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool two = text.starts_with("div");
    body += fmt::format(
        "ld.global.f32 %a{0},[%rd+{1}];\nld.global.f32 %b{0},[%rd+{2}];\n{3} %a{0},%a{0}{4};\nst.global.f32 "
        "[%rd+{1}],%a{0};\n",
        i, 8 * i, 8 * i + 4, text, two ? fmt::format(",%b{}", i) : "");
  }
  return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .f32 %a<9>; .reg "
         ".f32 %b<9>; .reg .b64 %rd;\n"
         "ld.param.u64 %rd,[p];\ncvta.to.global.u64 %rd,%rd;\n" +
         body + "ret;\n}\n";
}

// The slow path of a sequence is there once, the rest for each: one and two of them tell the two apart.
void add_expansions(const Function& function, const std::string& ptxas, SassCounts& counts) {
  for (const auto& [text, times] : sequences_of(function)) {
    const SassCounts one = count_sass(assemble_text(ptxas, kernel_of(text, 1)));
    const SassCounts two = count_sass(assemble_text(ptxas, kernel_of(text, 2)));
    const auto total = [&, n = times](std::uint64_t SassCounts::*field) {
      return one.*field + (n - 1) * (two.*field - one.*field);
    };
    for (const auto field : {&SassCounts::add, &SassCounts::mul, &SassCounts::fma, &SassCounts::half})
      counts.*field += total(field);
  }
}

}  // namespace

ArithmeticCheck::Verdict ArithmeticCheck::verdict() const {
  if (found.add == expected.add && found.fma == expected.fma && found.half == expected.half)
    return found.mul == expected.mul ? Verdict::equal : Verdict::products;
  // A contraction more takes a sum away, one less takes an fma away.
  return found.add > expected.add && found.fma >= expected.fma && found.half >= expected.half ? Verdict::repeated
                                                                                              : Verdict::different;
}

ArithmeticCheck check_arithmetic(const Module& module, const std::string& ptx_file, const std::string& ptxas) {
  ArithmeticCheck check;
  const auto add = [](SassCounts& to, const SassCounts& more) {
    to.add += more.add, to.mul += more.mul, to.fma += more.fma, to.half += more.half;
  };
  for (const auto& function : module.functions) {
    if (!function.defined) continue;
    const Contractions contractions = find_contractions(function);
    add(check.text, counts_of(function));
    add(check.expected, counts_of(contract(function, contractions)));
    for (const auto& [sum, product] : contractions.product_of)
      ++(kind_of(function.body[product]) == Kind::half ? check.contracted_half : check.contracted);
    add_expansions(function, ptxas, check.expected);
  }
  check.found = count_sass(assemble(ptxas, ptx_file));
  return check;
}

}  // namespace xqacheck::ptx
