// Arithmetic of f16, bf16 and their pairs: one rounding to nearest even, denormals kept, NaN results 0x7fff.
#include "emulation/arith/array.hpp"
#include "emulation/arith/packed.hpp"
#include "emulation/arith/scalar.hpp"
#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using H = std::uint16_t;
using Unary = H (*)(H);
using Binary = H (*)(H, H);
using Ternary = H (*)(H, H, H);

H low(W x) {
  return static_cast<H>(x);
}
H high(W x) {
  return static_cast<H>(x >> 16);
}
W pair(H top, H bottom) {
  return W{top} << 16 | bottom;
}

template <Unary F>
W both1(W a) {
  return pair(F(high(a)), F(low(a)));
}
template <Binary F>
W both2(W a, W b) {
  return pair(F(high(a), high(b)), F(low(a), low(b)));
}
template <Ternary F>
W both3(W a, W b, W c) {
  return pair(F(high(a), high(b), high(c)), F(low(a), low(b), low(c)));
}

H absolute(H x) {
  return x & 0x7fff;
}
H negate(H x) {
  return x ^ 0x8000;
}
template <H kInfinity>
bool is_nan(H x) {
  return (x & 0x7fff) > kInfinity;
}
template <Binary F, H kInfinity>
H or_nan(H a, H b) {
  return is_nan<kInfinity>(a) || is_nan<kInfinity>(b) ? H{0x7fff} : F(a, b);
}

constexpr H kInfinityF16 = 0x7c00, kInfinityBf16 = 0x7f80;

// Pairs of all lanes are 64 halves in a row.
template <auto F>
Step array_pairs(Warp& warp, const Inst& inst, LaneMask active) {
  typedef H __attribute__((may_alias)) Half;
  W* out = warp.words(inst.d);
  alignas(64) W all[32];
  W* const to = active == kAllLanes ? out : all;
  F(reinterpret_cast<const Half*>(warp.words(inst.a)), reinterpret_cast<const Half*>(warp.words(inst.b)),
    reinterpret_cast<Half*>(to));
  if (to == all) each(active, [&](unsigned lane) { out[lane] = all[lane]; });
  return Step::next;
}
void mul_f16(const H* a, const H* b, H* out) {
  arith::mul_f16_array(a, b, out, 64);
}
void add_f16(const H* a, const H* b, H* out) {
  arith::add_f16_array(a, b, out, 64);
}
void mul_bf16(const H* a, const H* b, H* out) {
  arith::mul_bf16_array(a, b, out, 64);
}
void add_bf16(const H* a, const H* b, H* out) {
  arith::add_bf16_array(a, b, out, 64);
}

struct Forms {
  Handler one, two;
};
template <Binary F>
Forms binary() {
  return {each_lane2<H, H, H, F>, each_lane2<W, W, W, both2<F>>};
}
template <Unary F>
Forms unary() {
  return {lanewise1<H, H, F>, lanewise1<W, W, both1<F>>};
}
template <Ternary F>
Forms ternary() {
  return {each_lane3<H, H, H, H, F>, each_lane3<W, W, W, W, both3<F>>};
}

Forms forms_of(const std::string& opcode, bool bf16, bool nan) {
  using namespace arith;
  if (opcode == "add")
    return bf16 ? Forms{binary<add_rn_bf16>().one, array_pairs<add_bf16>}
                : Forms{binary<add_rn_f16>().one, array_pairs<add_f16>};
  if (opcode == "mul")
    return bf16 ? Forms{binary<mul_rn_bf16>().one, array_pairs<mul_bf16>}
                : Forms{binary<mul_rn_f16>().one, array_pairs<mul_f16>};
  if (opcode == "sub") return bf16 ? binary<sub_rn_bf16>() : binary<sub_rn_f16>();
  if (opcode == "fma") return bf16 ? ternary<fma_rn_bf16>() : ternary<fma_rn_f16>();
  if (opcode == "abs") return unary<absolute>();
  if (opcode == "neg") return unary<negate>();
  if (opcode == "max" && nan)
    return bf16 ? binary<or_nan<max_bf16, kInfinityBf16>>() : binary<or_nan<max_f16, kInfinityF16>>();
  if (opcode == "min" && nan)
    return bf16 ? binary<or_nan<min_bf16, kInfinityBf16>>() : binary<or_nan<min_f16, kInfinityF16>>();
  if (opcode == "max") return bf16 ? binary<max_bf16>() : binary<max_f16>();
  if (opcode == "min") return bf16 ? binary<min_bf16>() : binary<min_f16>();
  return {};
}

}  // namespace

bool decode_half_arithmetic(Decoder& d, Type type) {
  d.take_type();
  d.take("rn");
  const bool nan = d.take("NaN");
  const bool bf16 = type == Type::bf16 || type == Type::bf16x2, two = type == Type::f16x2 || type == Type::bf16x2;
  const std::string& opcode = d.instruction().opcode;
  const Forms forms = forms_of(opcode, bf16, nan);
  const std::size_t sources = opcode == "fma" ? 3 : opcode == "abs" || opcode == "neg" ? 1 : 2;
  d.expect_operands(sources + 1, sources + 1);
  d.inst.a = d.source(1, type);
  if (sources > 1) d.inst.b = d.source(2, type);
  if (sources > 2) d.inst.c = d.source(3, type);
  d.inst.d = d.destination(0, type);
  d.inst.run = two ? forms.two : forms.one;
  if (d.inst.run == nullptr) d.fail("the form is not supported");
  return true;
}

}  // namespace xqacheck::ptx
