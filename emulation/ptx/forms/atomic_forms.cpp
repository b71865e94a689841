// Atomics and reductions. Lane-private ones show the operation; contended ones only what does not depend on the order.
#include <algorithm>

#include "emulation/ptx/forms/slow_float.hpp"
#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b32 = Width::b32, b64 = Width::b64;

// Memory holds operand 0; the atomic takes the others. Results: the old value and what memory holds after.
template <class Function>
Form private_atomic(const std::string& name, const std::string& space, Operand operand, std::size_t sources,
                    Function after) {
  const std::string bits = operand.width == Width::b64 ? "b64" : "b32";
  std::string body = "st." + space + "." + bits + " [%" + space + "], %a0;\n  " + name + " %d0, [%" + space + "], %a1";
  if (sources == 2) body += ", %a2";
  body += ";\n  ld." + space + "." + bits + " %d1, [%" + space + "];";
  return {name,
          std::vector<Operand>(1 + sources, operand),
          {operand.width, operand.width},
          body,
          [after, width = operand.width](std::span<const Warp> in, std::span<Warp> out) {
            for (int i = 0; i < 32; ++i) {
              out[0][i] = in[0][i];
              const std::array<Bits, 8> a{in[0][i], in[1][i], in.size() > 2 ? in[2][i] : 0};
              out[1][i] = static_cast<Bits>(after(a)) & (width == b64 ? ~Bits{0} : 0xFFFFFFFFu);
            }
          }};
}

// All lanes on one word of the warp, which begins with zero; the result is the word after all have done.
template <class Fold>
Form contended(const std::string& name, const std::string& space, const std::string& word, Fold fold,
               Operand operand = w) {
  return {name + "#contended",
          {operand},
          {b32},
          ".reg .pred p;\n  .reg .b32 old;\n  setp.eq.u32 p, %lane, 0;\n  @p st." + space + ".u32 [" + word +
              "], 0;\n  bar.warp.sync -1;\n  " + (name[0] == 'a' ? name + " old, [" : name + " [") + word +
              "], %a0;\n  bar.warp.sync -1;\n  ld." + space + ".u32 %d0, [" + word + "];",
          [fold](std::span<const Warp> in, std::span<Warp> out) {
            Bits value = 0;
            for (int i = 0; i < 32; ++i) value = fold(value, in[0][i]) & 0xFFFFFFFFu;
            out[0].fill(value);
          }};
}

}  // namespace

std::vector<Form> atomic_forms() {
  std::vector<Form> f;
  const auto add = [](auto a) { return a[0] + a[1]; };
  // inc: old >= limit ? 0 : old + 1. dec: old == 0 or old > limit ? limit : old - 1.
  const auto inc = [](auto a) { return a[0] >= a[1] ? 0 : a[0] + 1; };
  f.push_back(private_atomic("atom.acq_rel.gpu.global.inc.u32", "global", w, 1, inc));
  f.push_back(private_atomic("atom.global.inc.u32", "global", w, 1, inc));
  f.push_back(private_atomic("atom.global.dec.u32", "global", w, 1,
                             [](auto a) { return a[0] == 0 || a[0] > a[1] ? a[1] : a[0] - 1; }));
  f.push_back(private_atomic("atom.global.add.u32", "global", w, 1, add));
  f.push_back(private_atomic("atom.relaxed.gpu.global.add.u32", "global", w, 1, add));
  f.push_back(private_atomic("atom.global.add.u64", "global", q, 1, add));
  f.push_back(private_atomic("atom.shared.add.u32", "shared", w, 1, add));
  f.push_back(
      private_atomic("atom.shared.max.s32", "shared", w, 1, [](auto a) { return std::max(s32(a[0]), s32(a[1])); }));
  f.push_back(private_atomic("atom.shared.min.u32", "shared", w, 1, [](auto a) { return std::min(a[0], a[1]); }));
  f.push_back(private_atomic("atom.global.max.u32", "global", w, 1, [](auto a) { return std::max(a[0], a[1]); }));
  f.push_back(private_atomic("atom.global.and.b32", "global", w, 1, [](auto a) { return a[0] & a[1]; }));
  f.push_back(private_atomic("atom.global.or.b32", "global", w, 1, [](auto a) { return a[0] | a[1]; }));
  f.push_back(private_atomic("atom.global.exch.b32", "global", w, 1, [](auto a) { return a[1]; }));
  f.push_back(private_atomic("atom.global.cas.b32", "global", w, 2, [](auto a) { return a[0] == a[1] ? a[2] : a[0]; }));
  // Atomic f32 addition in global memory flushes denormals (PTX ISA, atom: ".add on f32 global memory flushes").
  f.push_back(private_atomic("atom.global.add.f32", "global", f32, 1, [](auto a) {
    const auto number = [](Bits x) { return value_of(kBinary32, flush(kBinary32, u32(x))); };
    return round_and_flush(kBinary32, add_to_odd(number(a[0]), number(a[1])));
  }));
  f.push_back(contended("red.global.add.u32", "global", "%warpg", [](Bits a, Bits b) { return a + b; }));
  f.push_back(contended("red.shared.max.u32", "shared", "%warps", [](Bits a, Bits b) { return std::max(a, b); }));
  f.push_back(contended(
      "atom.shared.or.b32", "shared", "%warps", [](Bits a, Bits b) { return a | b; }, sparse));
  f.push_back(contended("atom.global.xor.b32", "global", "%warpg", [](Bits a, Bits b) { return a ^ b; }));
  return f;
}

}  // namespace xqacheck::ptx::forms
