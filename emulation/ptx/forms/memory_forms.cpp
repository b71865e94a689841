// Loads, stores, address conversions, cache hints: what was stored must come back.
#include <fmt/format.h>

#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b16 = Width::b16, b32 = Width::b32, b64 = Width::b64;

std::string registers(const char* prefix, std::size_t count) {
  if (count == 1) return std::string("%") + prefix + "0";
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i ? ", " : "", prefix, i);
  return text + "}";
}

std::string vector_suffix(std::size_t count) {
  return count == 1 ? "" : fmt::format(".v{}", count);
}

// A load of what single stores have put at %global + 16, %shared + 16 or a local variable.
Form load(const std::string& name, const char* space, std::size_t count, Operand operand, const std::string& hint = "",
          const char* setup = "") {
  const std::string address = std::string(space) == "local" ? "own" : std::string("%") + space;
  std::string body = std::string(space) == "local" ? ".local .align 16 .b8 own[32];\n" : "";
  body += setup;
  for (std::size_t i = 0; i < count; ++i)
    body += fmt::format("  st.{}.b{} [{}+{}], %a{};\n", space, bytes_of(operand.width) * 8, address,
                        16 + i * bytes_of(operand.width), i);
  body += fmt::format("  {} {}, [{}+16]{};", name, registers("d", count), address, hint);
  return {name, std::vector<Operand>(count, operand), std::vector<Width>(count, operand.width), body, copy_through};
}

// A store, read back by single loads.
Form store(const std::string& name, const char* space, std::size_t count, Operand operand) {
  const std::string address = std::string(space) == "local" ? "own" : std::string("%") + space;
  std::string body = std::string(space) == "local" ? ".local .align 16 .b8 own[32];\n" : "";
  body += fmt::format("  {} [{}+16], {};\n", name, address, registers("a", count));
  for (std::size_t i = 0; i < count; ++i)
    body += fmt::format("  ld.{}.b{} %d{}, [{}+{}];\n", space, bytes_of(operand.width) * 8, i, address,
                        16 + i * bytes_of(operand.width));
  return {name, std::vector<Operand>(count, operand), std::vector<Width>(count, operand.width), body, copy_through};
}

// A byte of a 32-bit operand, zero-extended.
Form byte_form(const std::string& name, const std::string& body) {
  return lanewise(
      name, b32, {w}, [](Lane a) { return a[0] & 0xFF; }, body);
}

// The operands arrive through read-only loads: these forms read the input buffer itself (slot of the item, first
// operand).
Form constant_load(const std::string& name, Operand operand, const std::string& text) {
  Form form{name, {operand}, {operand.width}, text, copy_through};
  return form;
}

void loads(std::vector<Form>& f) {
  for (const auto& [type, operand] : {std::pair{"f32", f32}, {"u32", w}, {"u64", q}, {"u16", h}}) {
    f.push_back(load(fmt::format("ld.global.{}", type), "global", 1, operand));
    f.push_back(load(fmt::format("ld.shared.{}", type), "shared", 1, operand));
  }
  f.push_back(load("ld.local.u32", "local", 1, w));
  for (const std::size_t count : {2, 4}) {
    f.push_back(load("ld.global" + vector_suffix(count) + ".u32", "global", count, w));
    f.push_back(load("ld.shared" + vector_suffix(count) + ".u32", "shared", count, w));
    f.push_back(load("ld.shared" + vector_suffix(count) + ".f32", "shared", count, f32));
    f.push_back(load("ld.shared" + vector_suffix(count) + ".u16", "shared", count, h));
    f.push_back(load("ld.local" + vector_suffix(count) + ".u32", "local", count, w));
  }
  f.push_back(load("ld.relaxed.gpu.global.u32", "global", 1, w));
  f.push_back(load("ld.acquire.gpu.global.u32", "global", 1, w));
  f.push_back(load("ld.volatile.global.u32", "global", 1, w));
  f.push_back(load("ld.volatile.shared.u32", "shared", 1, w));
  f.push_back(byte_form("ld.shared.u8", "st.shared.u32 [%shared], %a0;\n  ld.shared.u8 %d0, [%shared];"));
  f.push_back(byte_form("ld.global.u8", "st.global.u32 [%global], %a0;\n  ld.global.u8 %d0, [%global];"));
  f.push_back(lanewise(
      "ld.shared.s8", b32, {w}, [](Lane a) { return static_cast<std::int8_t>(a[0] & 0xFF); },
      "st.shared.u32 [%shared], %a0;\n  ld.shared.s8 %d0, [%shared];"));
  // Without hints the same buffer is read by every kernel's prologue; .nc needs memory that nobody writes.
  f.push_back(constant_load("ld.global.nc.u16", h, "ld.global.nc.u16 %d0, [%in];"));
  f.push_back(constant_load("ld.global.nc.u32", w, "ld.global.nc.u32 %d0, [%in];"));
  f.push_back(constant_load("ld.global.nc.L1::evict_last.L2::cache_hint.L2::256B.b32", w,
                            ".reg .b64 policy;\n  createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
                            "  ld.global.nc.L1::evict_last.L2::cache_hint.L2::256B.b32 %d0, [%in], policy;"));
  f.push_back(constant_load("createpolicy.fractional.L2::evict_last.b64", w,
                            ".reg .b64 policy;\n  createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
                            "  ld.global.L2::cache_hint.b32 %d0, [%in], policy;"));
  // Four neighbours' slots would be operands of other lanes: the vector covers this slot (operand, zeros) and the next.
  Form nc4{"ld.global.nc.v4.u32",
           {w},
           {b32, b32, b32, b32},
           ".reg .b64 at;\n  and.b64 at, %in, -16;\n  ld.global.nc.v4.u32 {%d0, %d1, %d2, %d3}, [at];",
           {}};
  nc4.expected = [](std::span<const Warp> in, std::span<Warp> out) {
    for (int i = 0; i < 32; ++i) out[0][i] = in[0][i & ~1], out[2][i] = in[0][i | 1];
  };
  f.push_back(nc4);
}

void stores(std::vector<Form>& f) {
  for (const char* space : {"global", "shared"}) {
    const std::string begin = std::string("st.") + space;
    f.push_back(store(begin + ".f32", space, 1, f32));
    f.push_back(store(begin + ".u32", space, 1, w));
    f.push_back(store(begin + ".u16", space, 1, h));
    f.push_back(store(begin + ".u64", space, 1, q));
    f.push_back(store(begin + ".v2.f32", space, 2, f32));
    f.push_back(store(begin + ".v2.u32", space, 2, w));
    f.push_back(store(begin + ".v4.f32", space, 4, f32));
    f.push_back(store(begin + ".v4.u16", space, 4, h));
    f.push_back(store(begin + ".v4.u32", space, 4, w));
    f.push_back(byte_form(
        begin + ".u8",
        fmt::format("st.{0}.u32 [%{0}], 0;\n  {1}.u8 [%{0}], %a0;\n  ld.{0}.u32 %d0, [%{0}];", space, begin)));
  }
  f.push_back(store("st.relaxed.gpu.global.u32", "global", 1, w));
  f.push_back(store("st.release.gpu.global.u32", "global", 1, w));
  f.push_back(store("st.local.u32", "local", 1, w));
  f.push_back(store("st.local.u64", "local", 1, q));
  f.push_back(store("st.local.v2.u32", "local", 2, w));
  f.push_back(store("st.local.v4.u32", "local", 4, w));
}

void addresses(std::vector<Form>& f) {
  f.push_back(lanewise(
      "ld.param.u32", b32, {p}, [](Lane) { return kNumber; }, "ld.param.u32 %d0, [number];"));
  f.push_back(lanewise(
      "ld.param.f32", b32, {p}, [](Lane) { return kRealBits; }, "ld.param.f32 %d0, [real];"));
  f.push_back(lanewise(
      "ld.param.u64", b64, {q}, [](Lane a) { return a[0]; },
      ".reg .b64 at, off;\n  ld.param.u64 at, [in];\n  mul.wide.u32 off, %item, 8;\n  add.s64 at, at, off;\n  ld.u64 "
      "%d0, [at];"));
  f.push_back(lanewise(
      "cvta.to.global.u64", b32, {w}, [](Lane a) { return a[0]; },
      ".reg .b64 at;\n  cvta.global.u64 at, %in;\n  cvta.to.global.u64 at, at;\n  ld.global.u32 %d0, [at];"));
  f.push_back(lanewise(
      "cvta.shared.u64", b32, {w}, [](Lane a) { return a[0]; },
      ".reg .b64 at;\n  st.shared.u32 [%shared], %a0;\n  cvt.u64.u32 at, %shared;\n  cvta.shared.u64 at, at;\n  ld.u32 "
      "%d0, [at];"));
  f.push_back(lanewise(
      "cvta.to.shared.u64", b32, {w}, [](Lane a) { return a[0]; },
      ".reg .b64 at;\n  cvt.u64.u32 at, %shared;\n  cvta.shared.u64 at, at;\n  st.u32 [at], %a0;\n"
      "  cvta.to.shared.u64 at, at;\n  ld.shared.u32 %d0, [at];"));
  f.push_back(lanewise(
      "prefetch.global.L2", b32, {w}, [](Lane a) { return a[0]; }, "prefetch.global.L2 [%in];\n  mov.b32 %d0, %a0;"));
}

}  // namespace

std::vector<Form> memory_forms() {
  std::vector<Form> f;
  loads(f);
  stores(f);
  addresses(f);
  (void)b16;
  return f;
}

}  // namespace xqacheck::ptx::forms
