// Logic, predicates, comparisons, selection, moves.
#include "emulation/ptx/forms/slow_float.hpp"
#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b16 = Width::b16, b32 = Width::b32, b64 = Width::b64, pred = Width::pred;

// lop3: bit i of the result is bit (a_i, b_i, c_i) of the table.
template <unsigned table>
Bits lop3(Lane a) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i) {
    const unsigned row = (a[0] >> i & 1) << 2 | (a[1] >> i & 1) << 1 | (a[2] >> i & 1);
    result |= (table >> row & 1u) << i;
  }
  return result;
}

void predicates(std::vector<Form>& f) {
  f.push_back(lanewise("and.pred", pred, {p, p}, [](Lane a) { return a[0] & a[1]; }));
  f.push_back(lanewise("or.pred", pred, {p, p}, [](Lane a) { return a[0] | a[1]; }));
  f.push_back(lanewise("xor.pred", pred, {p, p}, [](Lane a) { return a[0] ^ a[1]; }));
  f.push_back(lanewise("not.pred", pred, {p}, [](Lane a) { return a[0] ^ 1; }));
  f.push_back(lanewise("mov.pred", pred, {p}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise("setp.eq.s16", pred, {h, h}, [](Lane a) { return s16(a[0]) == s16(a[1]); }));
  f.push_back(lanewise("setp.ne.s16", pred, {h, h}, [](Lane a) { return s16(a[0]) != s16(a[1]); }));
  f.push_back(lanewise("setp.eq.s32", pred, {w, w}, [](Lane a) { return s32(a[0]) == s32(a[1]); }));
  f.push_back(lanewise("setp.ne.s32", pred, {w, w}, [](Lane a) { return s32(a[0]) != s32(a[1]); }));
  f.push_back(lanewise("setp.eq.s64", pred, {q, q}, [](Lane a) { return s64(a[0]) == s64(a[1]); }));
  f.push_back(lanewise("setp.ne.s64", pred, {q, q}, [](Lane a) { return s64(a[0]) != s64(a[1]); }));
  f.push_back(lanewise("setp.ge.s32", pred, {w, w}, [](Lane a) { return s32(a[0]) >= s32(a[1]); }));
  f.push_back(lanewise("setp.lt.s32", pred, {w, w}, [](Lane a) { return s32(a[0]) < s32(a[1]); }));
  f.push_back(lanewise("setp.lt.s64", pred, {q, q}, [](Lane a) { return s64(a[0]) < s64(a[1]); }));
  f.push_back(lanewise("setp.ge.u32", pred, {w, w}, [](Lane a) { return u32(a[0]) >= u32(a[1]); }));
  f.push_back(lanewise("setp.gt.u32", pred, {w, w}, [](Lane a) { return u32(a[0]) > u32(a[1]); }));
  f.push_back(lanewise("setp.le.u32", pred, {w, w}, [](Lane a) { return u32(a[0]) <= u32(a[1]); }));
  f.push_back(lanewise("setp.lt.u32", pred, {w, w}, [](Lane a) { return u32(a[0]) < u32(a[1]); }));
  f.push_back(lanewise("setp.lt.and.s32", pred, {w, w, p}, [](Lane a) { return (s32(a[0]) < s32(a[1])) & a[2]; }));
  // Ordered comparisons are false with a NaN, those that end in u are true; .ftz: denormals count as zero.
  const auto flushed = [](Bits x) { return value_of(kBinary32, flush(kBinary32, u32(x))); };
  f.push_back(lanewise("setp.gt.ftz.f32", pred, {f32, f32}, [=](Lane a) { return flushed(a[0]) > flushed(a[1]); }));
  f.push_back(lanewise("setp.lt.ftz.f32", pred, {f32, f32}, [=](Lane a) { return flushed(a[0]) < flushed(a[1]); }));
  f.push_back(lanewise("setp.neu.ftz.f32", pred, {f32, f32}, [=](Lane a) { return flushed(a[0]) != flushed(a[1]); }));
  f.push_back(
      lanewise("setp.ltu.ftz.f32", pred, {f32, f32}, [=](Lane a) { return !(flushed(a[0]) >= flushed(a[1])); }));
  f.push_back(lanewise("setp.eq.f32", pred, {f32, f32},
                       [](Lane a) { return value_of(kBinary32, u32(a[0])) == value_of(kBinary32, u32(a[1])); }));
  f.push_back(lanewise("setp.nan.ftz.f32", pred, {f32, f32},
                       [=](Lane a) { return flushed(a[0]) != flushed(a[0]) || flushed(a[1]) != flushed(a[1]); }));
}

}  // namespace

std::vector<Form> logic_forms() {
  std::vector<Form> f;
  for (const auto& [suffix, width, operand] : {std::tuple{"b16", b16, h}, {"b32", b32, w}, {"b64", b64, q}}) {
    f.push_back(lanewise(std::string("and.") + suffix, width, {operand, operand}, [](Lane a) { return a[0] & a[1]; }));
    f.push_back(lanewise(std::string("or.") + suffix, width, {operand, operand}, [](Lane a) { return a[0] | a[1]; }));
    f.push_back(lanewise(std::string("xor.") + suffix, width, {operand, operand}, [](Lane a) { return a[0] ^ a[1]; }));
    f.push_back(lanewise(std::string("not.") + suffix, width, {operand}, [](Lane a) { return ~a[0]; }));
    f.push_back(lanewise(std::string("selp.") + suffix, width, {operand, operand, p},
                         [](Lane a) { return a[2] ? a[0] : a[1]; }));
    f.push_back(lanewise(std::string("mov.") + suffix, width, {operand}, [](Lane a) { return a[0]; }));
  }
  for (const auto& [suffix, width, operand] : {std::tuple{"u16", b16, h}, {"u32", b32, w}, {"f32", b32, f32}}) {
    f.push_back(lanewise(std::string("selp.") + suffix, width, {operand, operand, p},
                         [](Lane a) { return a[2] ? a[0] : a[1]; }));
    f.push_back(lanewise(std::string("mov.") + suffix, width, {operand}, [](Lane a) { return a[0]; }));
  }
  f.push_back(lanewise("mov.u64", b64, {q}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise(
      "mov.b32#pack", b32, {h, h}, [](Lane a) { return a[1] << 16 | a[0]; }, "mov.b32 %d0, {%a0, %a1};"));
  f.push_back(lanewise(
      "mov.b64#pack", b64, {w, w}, [](Lane a) { return a[1] << 32 | a[0]; }, "mov.b64 %d0, {%a0, %a1};"));
  Form unpack{"mov.b32#unpack", {w}, {b16, b16}, "mov.b32 {%d0, %d1}, %a0;", {}};
  unpack.expected = [](std::span<const Warp> in, std::span<Warp> out) {
    for (int i = 0; i < 32; ++i) out[0][i] = in[0][i] & 0xFFFF, out[1][i] = in[0][i] >> 16;
  };
  f.push_back(unpack);
  // 0xEA = a & b | c, 0x96 = a ^ b ^ c, 0xB8 and 0x1B: tables without symmetry.
  f.push_back(lanewise("lop3.b32#ea", b32, {w, w, w}, lop3<0xEA>, "lop3.b32 %d0, %a0, %a1, %a2, 0xEA;"));
  f.push_back(lanewise("lop3.b32#96", b32, {w, w, w}, lop3<0x96>, "lop3.b32 %d0, %a0, %a1, %a2, 0x96;"));
  f.push_back(lanewise("lop3.b32#b8", b32, {w, w, w}, lop3<0xB8>, "lop3.b32 %d0, %a0, %a1, %a2, 0xB8;"));
  f.push_back(lanewise("lop3.b32#1b", b32, {w, w, w}, lop3<0x1B>, "lop3.b32 %d0, %a0, %a1, %a2, 0x1B;"));
  predicates(f);
  return f;
}

}  // namespace xqacheck::ptx::forms
