// Integer arithmetic, shifts and bit fields. PTX ISA, chapters "Integer Arithmetic Instructions" and "Logic and Shift".
#include <bit>

#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b16 = Width::b16, b32 = Width::b32, b64 = Width::b64;

std::uint32_t clamped(Bits count, std::uint32_t most) {
  return std::min(u32(count), most);
}

// bfi: `length` bits of a into b at `position`; only the low 8 bits of both count.
Bits bfi32(Lane a) {
  const std::uint32_t position = a[2] & 0xFF, length = a[3] & 0xFF;
  std::uint32_t result = u32(a[1]);
  for (std::uint32_t i = 0; i < length && position + i < 32; ++i) {
    const std::uint32_t bit = i < 32 ? u32(a[0]) >> i & 1 : 0;
    result = (result & ~(1u << (position + i))) | bit << (position + i);
  }
  return result;
}

Bits bfe_u32(Lane a) {
  const std::uint32_t position = a[1] & 0xFF, length = a[2] & 0xFF;
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < length && position + i < 32; ++i) result |= (u32(a[0]) >> (position + i) & 1) << i;
  return result;
}

// prmt, default mode: each nibble of c picks a byte of {b, a}; its top bit replicates the sign.
Bits prmt32(Lane a) {
  const Bits bytes = (a[1] & 0xFFFFFFFFu) << 32 | (a[0] & 0xFFFFFFFFu);
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t selector = u32(a[2]) >> 4 * i & 0xF;
    std::uint32_t byte = bytes >> 8 * (selector & 7) & 0xFF;
    if (selector & 8) byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << 8 * i;
  }
  return result;
}

Bits reverse(Lane a) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i) result |= (u32(a[0]) >> i & 1) << (31 - i);
  return result;
}

}  // namespace

std::vector<Form> integer_forms() {
  std::vector<Form> f;
  f.push_back(lanewise("add.s32", b32, {w, w}, [](Lane a) { return a[0] + a[1]; }));
  f.push_back(lanewise("add.u32", b32, {w, w}, [](Lane a) { return a[0] + a[1]; }));
  f.push_back(lanewise("add.s64", b64, {q, q}, [](Lane a) { return a[0] + a[1]; }));
  f.push_back(lanewise("add.u64", b64, {q, q}, [](Lane a) { return a[0] + a[1]; }));
  f.push_back(lanewise("add.s16", b16, {h, h}, [](Lane a) { return a[0] + a[1]; }));
  f.push_back(lanewise("sub.s32", b32, {w, w}, [](Lane a) { return a[0] - a[1]; }));
  f.push_back(lanewise("sub.s64", b64, {q, q}, [](Lane a) { return a[0] - a[1]; }));
  f.push_back(lanewise("neg.s32", b32, {w}, [](Lane a) { return 0 - a[0]; }));
  f.push_back(lanewise("abs.s32", b32, {w}, [](Lane a) { return s32(a[0]) < 0 ? 0 - a[0] : a[0]; }));
  f.push_back(lanewise("mul.lo.s32", b32, {w, w}, [](Lane a) { return a[0] * a[1]; }));
  f.push_back(lanewise("mul.lo.s64", b64, {q, q}, [](Lane a) { return a[0] * a[1]; }));
  f.push_back(lanewise("mul.hi.u32", b32, {w, w}, [](Lane a) { return Bits{u32(a[0])} * u32(a[1]) >> 32; }));
  f.push_back(lanewise("mul.wide.u32", b64, {w, w}, [](Lane a) { return Bits{u32(a[0])} * u32(a[1]); }));
  f.push_back(lanewise("mul.wide.s32", b64, {w, w}, [](Lane a) { return std::int64_t{s32(a[0])} * s32(a[1]); }));
  f.push_back(lanewise("mul.wide.u16", b32, {h, h}, [](Lane a) { return u32(a[0]) * u32(a[1]); }));
  f.push_back(lanewise("mad.lo.s32", b32, {w, w, w}, [](Lane a) { return a[0] * a[1] + a[2]; }));
  f.push_back(lanewise("mad.lo.u32", b32, {w, w, w}, [](Lane a) { return a[0] * a[1] + a[2]; }));
  f.push_back(lanewise("mad.wide.u32", b64, {w, w, q}, [](Lane a) { return Bits{u32(a[0])} * u32(a[1]) + a[2]; }));
  f.push_back(lanewise("div.u32", b32, {w, divisor}, [](Lane a) { return u32(a[0]) / u32(a[1]); }));
  f.push_back(lanewise("rem.u32", b32, {w, divisor}, [](Lane a) { return u32(a[0]) % u32(a[1]); }));
  // 64 bits: the least integer by -1 overflows in 32.
  f.push_back(lanewise("div.s32", b32, {w, divisor}, [](Lane a) { return std::int64_t{s32(a[0])} / s32(a[1]); }));
  f.push_back(lanewise("rem.s32", b32, {w, divisor}, [](Lane a) { return std::int64_t{s32(a[0])} % s32(a[1]); }));
  f.push_back(lanewise("max.u32", b32, {w, w}, [](Lane a) { return std::max(u32(a[0]), u32(a[1])); }));
  f.push_back(lanewise("min.u32", b32, {w, w}, [](Lane a) { return std::min(u32(a[0]), u32(a[1])); }));
  f.push_back(lanewise("max.s32", b32, {w, w}, [](Lane a) { return std::max(s32(a[0]), s32(a[1])); }));
  f.push_back(lanewise("min.s32", b32, {w, w}, [](Lane a) { return std::min(s32(a[0]), s32(a[1])); }));
  f.push_back(lanewise("min.s64", b64, {q, q}, [](Lane a) { return std::min(s64(a[0]), s64(a[1])); }));
  // Shift counts beyond the width are clamped to it.
  f.push_back(lanewise("shl.b32", b32, {w, shift}, [](Lane a) { return (a[0] & 0xFFFFFFFFu) << clamped(a[1], 32); }));
  f.push_back(lanewise("shl.b64", b64, {q, shift}, [](Lane a) { return a[1] > 63 ? 0 : a[0] << a[1]; }));
  f.push_back(lanewise("shl.b16", b16, {h, shift}, [](Lane a) { return (a[0] & 0xFFFFu) << clamped(a[1], 16); }));
  f.push_back(lanewise("shr.u32", b32, {w, shift}, [](Lane a) { return (a[0] & 0xFFFFFFFFu) >> clamped(a[1], 32); }));
  f.push_back(lanewise("shr.u16", b16, {h, shift}, [](Lane a) { return (a[0] & 0xFFFFu) >> clamped(a[1], 16); }));
  f.push_back(lanewise("shr.u64", b64, {q, shift}, [](Lane a) { return a[1] > 63 ? 0 : a[0] >> a[1]; }));
  f.push_back(
      lanewise("shr.s32", b32, {w, shift}, [](Lane a) { return std::int64_t{s32(a[0])} >> clamped(a[1], 32); }));
  f.push_back(lanewise("shr.s64", b64, {q, shift}, [](Lane a) { return s64(a[0]) >> clamped(a[1], 63); }));
  f.push_back(lanewise("shf.r.clamp.b32", b32, {w, w, shift}, [](Lane a) {
    return ((a[1] & 0xFFFFFFFFu) << 32 | (a[0] & 0xFFFFFFFFu)) >> clamped(a[2], 32);
  }));
  f.push_back(lanewise("shf.l.wrap.b32", b32, {w, w, shift}, [](Lane a) {
    return ((a[1] & 0xFFFFFFFFu) << 32 | (a[0] & 0xFFFFFFFFu)) << (a[2] & 31) >> 32;
  }));
  f.push_back(lanewise("bfi.b32", b32, {w, w, shift, shift}, bfi32));
  f.push_back(lanewise("bfe.u32", b32, {w, shift, shift}, bfe_u32));
  f.push_back(lanewise("prmt.b32", b32, {w, w, w}, prmt32));
  f.push_back(lanewise("popc.b32", b32, {w}, [](Lane a) { return std::popcount(u32(a[0])); }));
  f.push_back(lanewise("clz.b32", b32, {w}, [](Lane a) { return std::countl_zero(u32(a[0])); }));
  f.push_back(lanewise("brev.b32", b32, {w}, reverse));
  f.push_back(lanewise("bfind.u32", b32, {w}, [](Lane a) { return 31 - std::countl_zero(u32(a[0])); }));
  return f;
}

}  // namespace xqacheck::ptx::forms
