#include <fmt/format.h>

#include "emulation/ptx/forms/form.hpp"

namespace xqacheck::ptx::forms {
namespace {

const char* register_type(Width width) {
  switch (width) {
    case Width::b16:
      return ".b16";
    case Width::b64:
      return ".b64";
    case Width::pred:
      return ".pred";
    default:
      return ".b32";
  }
}

std::string load(const Operand& operand, std::size_t k) {
  const std::uint64_t offset = k * kItems * 8;
  if (operand.width == Width::pred)
    return fmt::format("  ld.global.u32 %t, [%in+{}];\n  setp.ne.u32 %a{}, %t, 0;\n", offset, k);
  const char* type = operand.width == Width::b16 ? "u16" : operand.width == Width::b64 ? "u64" : "u32";
  return fmt::format("  ld.global.{} %a{}, [%in+{}];\n", type, k, offset);
}

std::string store(const Form& form, std::size_t r) {
  const std::uint32_t width = bytes_of(form.out[r]);
  std::string text = fmt::format("  mad.wide.u32 %o, %item, {}, %out;\n", width);
  const std::uint64_t offset = output_offset(form, r);
  if (form.out[r] == Width::pred)
    text += fmt::format("  selp.b32 %t, 1, 0, %d{};\n  st.global.u8 [%o+{}], %t;\n", r, offset);
  else
    text += fmt::format("  st.global.u{} [%o+{}], %d{};\n", width * 8, offset, r);
  return text;
}

std::string default_body(const Form& form) {
  std::string text = "  " + opcode_of(form);
  for (std::size_t r = 0; r < form.out.size(); ++r) text += fmt::format("{} %d{}", r ? "," : "", r);
  for (std::size_t k = 0; k < form.in.size(); ++k) text += fmt::format(", %a{}", k);
  return text + ";\n";
}

}  // namespace

std::string kernel_text(const Form& form) {
  // 8.4: the oldest ISA that has every form of the tables on sm_90a.
  std::string text = fmt::format(
      "// {}\n.version 8.4\n.target sm_90a\n.address_size 64\n\n"
      ".visible .entry form(.param .u64 in, .param .u64 out, .param .u64 scratch, .param .u32 number, .param .f32 "
      "real)\n{{\n"
      "  .reg .b32 %t, %lane, %warp, %item, %shared, %warps;\n  .reg .b64 %in, %out, %o, %global, %warpg;\n"
      "  .shared .align 128 .b8 memory[{}];\n",
      form.name, kThreads * kScratchBytes);
  for (std::size_t k = 0; k < form.in.size(); ++k)
    text += fmt::format("  .reg {} %a{};\n", register_type(form.in[k].width), k);
  for (std::size_t r = 0; r < form.out.size(); ++r)
    text += fmt::format("  .reg {} %d{};\n", register_type(form.out[r]), r);
  text += fmt::format(
      "  mov.u32 %item, %ctaid.x;\n  mov.u32 %t, %tid.x;\n  and.b32 %lane, %t, 31;\n  shr.u32 %warp, %t, 5;\n"
      "  mad.lo.u32 %item, %item, {0}, %t;\n"
      "  ld.param.u64 %in, [in];\n  cvta.to.global.u64 %in, %in;\n  mad.wide.u32 %in, %item, 8, %in;\n"
      "  ld.param.u64 %out, [out];\n  cvta.to.global.u64 %out, %out;\n"
      "  ld.param.u64 %warpg, [scratch];\n  cvta.to.global.u64 %warpg, %warpg;\n  mad.wide.u32 %global, %item, {1}, "
      "%warpg;\n"
      "  sub.u32 %t, %item, %lane;\n  mad.wide.u32 %warpg, %t, {1}, %warpg;\n"
      "  mov.u32 %warps, memory;\n  mad.lo.u32 %warps, %warp, {2}, %warps;\n  mad.lo.u32 %shared, %lane, {1}, "
      "%warps;\n",
      kThreads, kScratchBytes, 32 * kScratchBytes);
  for (std::size_t k = 0; k < form.in.size(); ++k) text += load(form.in[k], k);
  text += form.body.empty() ? default_body(form) : "{\n" + form.body + "\n}\n";
  for (std::size_t r = 0; r < form.out.size(); ++r) text += store(form, r);
  return text + "  ret;\n}\n";
}

}  // namespace xqacheck::ptx::forms
