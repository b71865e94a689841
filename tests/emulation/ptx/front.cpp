// What the parser and the decoder say about text that they do not understand, and what they accept.
#include "emulation/ptx/front/parser.hpp"

#include "emulation/ptx/decode/decode.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/ptx/small_kernel.hpp"

namespace xqacheck::ptx::test {
namespace {

std::string error_of(const std::string& text) {
  try {
    const Module module = parse(text, "test.ptx");
    decode(module, "kernel", {});
    return "";
  } catch (const PtxError& error) {
    return error.what();
  }
}

const std::string kHead = ".version 8.0\n.target sm_90a\n.address_size 64\n";

TEST_CASE("An unknown instruction or modifier is an error with its line and source line") {
  CHECK(error_of(kernel_text("frobnicate.b32 %r0, %r1;")) == "test.ptx:10: 'frobnicate.b32': the instruction is unknown or not supported");
  CHECK(error_of(kernel_text("add.wrong.s32 %r0, %r1, %r2;")) == "test.ptx:10: 'add.wrong.s32': modifier .wrong is unknown or not supported here");
  CHECK(error_of(kernel_text(".file 1 \"kernel.cu\"\n.loc 1 97 3\nadd.wrong.s32 %r0, %r1, %r2;")) ==
        "test.ptx:12 (kernel.cu:97): 'add.wrong.s32': modifier .wrong is unknown or not supported here");
  CHECK(error_of(kernel_text("add.rz.f32 %f0, %f1, %f2;")).find(".rz is unknown or not supported") != std::string::npos);
  CHECK(error_of(kernel_text("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r2,%r3,%r4,%r5}, {%r6,%r7}, {%r8,%r9};"))
            .find("their arithmetic was not measured") != std::string::npos);
}

TEST_CASE("Operands that do not fit are named") {
  CHECK(error_of(kernel_text("add.s32 %r0, %r1, %nowhere;")).find("special register %nowhere is not supported") != std::string::npos);
  CHECK(error_of(kernel_text("add.s64 %rd0, %r1, %rd2;")).find("register %r1 is too narrow for .s64") != std::string::npos);
  CHECK(error_of(kernel_text("add.s32 %r0, %r1;")).find("2 operands, expected 3") != std::string::npos);
  CHECK(error_of(kernel_text("@%r1 bra done;\ndone:")).find("the guard %r1 is not a predicate") != std::string::npos);
  CHECK(error_of(kernel_text("bra nowhere;")).find("label nowhere is not declared") != std::string::npos);
  CHECK(error_of(kernel_text("here: here:")).find("label here is declared twice") != std::string::npos);
  CHECK(error_of(kernel_text("ld.global.u32 %r0, [%r1];")).find("64 bits") != std::string::npos);
}

TEST_CASE("Text that is not PTX is refused with the line") {
  CHECK(error_of(kHead + ".global .b8 a[4] = {" + std::string(100000, '{')).find("initial values of a in more than 64 braces") != std::string::npos);
  CHECK(error_of(kHead + ".global .b8 a[4294967296][4294967296];").find("variable a is larger than 2 GiB") != std::string::npos);
  CHECK(error_of("hello").find("test.ptx:1: expected a directive") != std::string::npos);
  CHECK(error_of("").find("there is no .version directive") != std::string::npos);
  CHECK(error_of(".version 12.0\n").find("versions 6 to 9") != std::string::npos);
  CHECK(error_of(kHead + ".visible .entry kernel()\n{\n ret;\n").find("is not closed") != std::string::npos);
  CHECK(error_of(kHead + "/* never closed").find("is not closed") != std::string::npos);
  CHECK(error_of(kHead + "\x01").find("0x01") != std::string::npos);
  CHECK(error_of(kHead + ".visible .entry other() { ret; }").find("there is no kernel 'kernel'; the module has other") != std::string::npos);
}

TEST_CASE("Recursion and functions without a body are refused") {
  const std::string recursive = ".func twice() { call.uni twice; ret; }\n";
  CHECK(error_of(kernel_text("call.uni twice;", recursive)).find("recursion is not supported") != std::string::npos);
  CHECK(error_of(kernel_text("call.uni away;", ".extern .func away();\n")).find("has no body in this module") != std::string::npos);
}

TEST_CASE("Scoped blocks have registers and labels of their own") {
  const std::string body =
      "mov.u32 %r0, 1;\n{ .reg .b32 %x; .reg .pred %q; mov.u32 %x, %me; setp.lt.u32 %q, %x, 16; @%q bra skip; add.s32 %r0, %r0, 10; skip: }\n"
      "{ .reg .b32 %x; mov.u32 %x, 100; add.s32 %r0, %r0, %x; bra skip; add.s32 %r0, %r0, 1000; skip: }\n";
  const auto out = run_text(kernel_text(body + store_r0()), 1, 32);
  for (std::uint32_t t = 0; t < 32; ++t) CHECK(out[t] == (t < 16 ? 101u : 111u));
}

TEST_CASE("Module variables have their initial values, addresses included") {
  const std::string before =
      ".const .align 4 .b32 table[2][2] = {{1, 2}, {3, 0x28}};\n.global .align 8 .u64 pointer = table+12;\n.global .align 4 .f32 one = 0f3F800000;\n";
  const std::string body =
      "ld.global.u64 %rd0, [pointer]; ld.global.u32 %r0, [%rd0]; ld.const.u32 %r1, [table+8]; add.s32 %r0, %r0, %r1;\n"
      "ld.global.u32 %r1, [one]; shr.u32 %r1, %r1, 23; add.s32 %r0, %r0, %r1;\n";
  const auto out = run_text(kernel_text(body + store_r0(), before), 1, 1);
  CHECK(out[0] == 40 + 3 + 127);
}

}  // namespace
}  // namespace xqacheck::ptx::test
