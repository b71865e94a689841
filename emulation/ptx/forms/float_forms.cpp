// Floating-point arithmetic: IEEE results from slow_float, special functions from the measured plain rules.
#include "emulation/arith/plain/f32.hpp"
#include "emulation/arith/plain/mufu.hpp"
#include "emulation/ptx/forms/slow_float.hpp"
#include "emulation/ptx/forms/tables.hpp"

#include <cmath>

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b16 = Width::b16, b32 = Width::b32;

double number(Bits bits) {
  return value_of(kBinary32, u32(bits));
}
double flushed(Bits bits) {
  return value_of(kBinary32, flush(kBinary32, u32(bits)));
}

void f32_forms(std::vector<Form>& f) {
  // With .ftz.
  f.push_back(lanewise("add.ftz.f32", b32, {f32, f32},
                       [](Lane a) { return round_and_flush(kBinary32, add_to_odd(flushed(a[0]), flushed(a[1]))); }));
  f.push_back(lanewise("sub.ftz.f32", b32, {f32, f32},
                       [](Lane a) { return round_and_flush(kBinary32, add_to_odd(flushed(a[0]), -flushed(a[1]))); }));
  f.push_back(lanewise("mul.ftz.f32", b32, {f32, f32},
                       [](Lane a) { return round_and_flush(kBinary32, flushed(a[0]) * flushed(a[1])); }));
  f.push_back(lanewise("add.rn.ftz.f32", b32, {f32, f32},
                       [](Lane a) { return round_and_flush(kBinary32, add_to_odd(flushed(a[0]), flushed(a[1]))); }));
  f.push_back(lanewise("mul.rn.ftz.f32", b32, {f32, f32},
                       [](Lane a) { return round_and_flush(kBinary32, flushed(a[0]) * flushed(a[1])); }));
  f.push_back(lanewise("fma.rn.ftz.f32", b32, {f32, f32, f32}, [](Lane a) {
    return round_and_flush(kBinary32, fma_to_odd(flushed(a[0]), flushed(a[1]), flushed(a[2])));
  }));
  const auto ftz = [](Bits x) { return flush(kBinary32, u32(x)); };
  f.push_back(
      lanewise("max.ftz.f32", b32, {f32, f32}, [=](Lane a) { return maximum(kBinary32, ftz(a[0]), ftz(a[1])); }));
  f.push_back(
      lanewise("min.ftz.f32", b32, {f32, f32}, [=](Lane a) { return minimum(kBinary32, ftz(a[0]), ftz(a[1])); }));
  // Without.
  f.push_back(lanewise("add.f32", b32, {f32, f32},
                       [](Lane a) { return round_to(kBinary32, add_to_odd(number(a[0]), number(a[1]))); }));
  f.push_back(lanewise("sub.f32", b32, {f32, f32},
                       [](Lane a) { return round_to(kBinary32, add_to_odd(number(a[0]), -number(a[1]))); }));
  f.push_back(
      lanewise("mul.f32", b32, {f32, f32}, [](Lane a) { return round_to(kBinary32, number(a[0]) * number(a[1])); }));
  f.push_back(lanewise("fma.rn.f32", b32, {f32, f32, f32}, [](Lane a) {
    return round_to(kBinary32, fma_to_odd(number(a[0]), number(a[1]), number(a[2])));
  }));
  f.push_back(lanewise("max.f32", b32, {f32, f32}, [](Lane a) { return maximum(kBinary32, u32(a[0]), u32(a[1])); }));
  f.push_back(lanewise("min.f32", b32, {f32, f32}, [](Lane a) { return minimum(kBinary32, u32(a[0]), u32(a[1])); }));
  // The quotient of two 24-bit numbers is never so near to a tie of 24 bits that 53 bits cannot tell (Figueroa, 1995).
  f.push_back(
      lanewise("rcp.rn.ftz.f32", b32, {f32}, [](Lane a) { return round_and_flush(kBinary32, 1.0 / flushed(a[0])); }));
  f.push_back(lanewise("rcp.rn.f32", b32, {f32}, [](Lane a) { return arith::plain::rcp_rn_f32(u32(a[0])); }));
  f.push_back(
      lanewise("div.rn.f32", b32, {f32, f32}, [](Lane a) { return arith::plain::div_rn_f32(u32(a[0]), u32(a[1])); }));
  f.push_back(lanewise("sqrt.rn.ftz.f32", b32, {f32},
                       [](Lane a) { return round_and_flush(kBinary32, std::sqrt(flushed(a[0]))); }));
}

void special_functions(std::vector<Form>& f) {
  using Unary = std::uint32_t (*)(std::uint32_t);
  for (const auto& [name, function] :
       {std::pair<const char*, Unary>{"ex2.approx.ftz.f32", arith::plain::ex2_approx_ftz_f32},
        {"ex2.approx.f32", arith::plain::ex2_approx_f32},
        {"rcp.approx.ftz.f32", arith::plain::rcp_approx_ftz_f32},
        {"rcp.approx.f32", arith::plain::rcp_approx_f32},
        {"rsqrt.approx.ftz.f32", arith::plain::rsqrt_approx_ftz_f32},
        {"rsqrt.approx.f32", arith::plain::rsqrt_approx_f32},
        {"sqrt.approx.ftz.f32", arith::plain::sqrt_approx_ftz_f32},
        {"lg2.approx.ftz.f32", arith::plain::lg2_approx_ftz_f32},
        {"lg2.approx.f32", arith::plain::lg2_approx_f32}}) {
    f.push_back(lanewise(name, b32, {f32}, [function = function](Lane a) { return function(u32(a[0])); }));
  }
  f.push_back(lanewise("div.approx.ftz.f32", b32, {f32, f32},
                       [](Lane a) { return arith::plain::div_approx_ftz_f32(u32(a[0]), u32(a[1])); }));
}

using Scalar = std::uint32_t (*)(const Binary&, Lane);

std::uint32_t half_add(const Binary& t, Lane a) {
  return round_to(t, add_to_odd(value_of(t, u32(a[0])), value_of(t, u32(a[1]))));
}
std::uint32_t half_sub(const Binary& t, Lane a) {
  return round_to(t, add_to_odd(value_of(t, u32(a[0])), -value_of(t, u32(a[1]))));
}
std::uint32_t half_mul(const Binary& t, Lane a) {
  return round_to(t, value_of(t, u32(a[0])) * value_of(t, u32(a[1])));
}
std::uint32_t half_fma(const Binary& t, Lane a) {
  return round_to(t, fma_to_odd(value_of(t, u32(a[0])), value_of(t, u32(a[1])), value_of(t, u32(a[2]))));
}
std::uint32_t half_max(const Binary& t, Lane a) {
  return maximum(t, u32(a[0]), u32(a[1]));
}
std::uint32_t half_min(const Binary& t, Lane a) {
  return minimum(t, u32(a[0]), u32(a[1]));
}

Form pairwise(const std::string& name, std::vector<Operand> in, const Binary& format, Scalar scalar) {
  return lanewise(name, b32, std::move(in), [&format, scalar](Lane a) {
    std::array<Bits, 8> low{}, high{};
    for (int i = 0; i < 8; ++i) low[i] = a[i] & 0xFFFF, high[i] = a[i] >> 16 & 0xFFFF;
    return scalar(format, high) << 16 | scalar(format, low);
  });
}

void half_forms(std::vector<Form>& f) {
  for (const auto& [type, operand, format] :
       {std::tuple<std::string, Operand, const Binary*>{"f16x2", f16x2, &kBinary16}, {"bf16x2", bf16x2, &kBrain16}}) {
    f.push_back(pairwise("add.rn." + type, {operand, operand}, *format, half_add));
    f.push_back(pairwise("sub.rn." + type, {operand, operand}, *format, half_sub));
    f.push_back(pairwise("mul." + type, {operand, operand}, *format, half_mul));
    f.push_back(pairwise("mul.rn." + type, {operand, operand}, *format, half_mul));
    f.push_back(pairwise("fma.rn." + type, {operand, operand, operand}, *format, half_fma));
    f.push_back(pairwise("max." + type, {operand, operand}, *format, half_max));
    f.push_back(pairwise("min." + type, {operand, operand}, *format, half_min));
  }
  f.push_back(lanewise("add.rn.f16", b16, {f16, f16}, [](Lane a) { return half_add(kBinary16, a); }));
  f.push_back(lanewise("mul.rn.bf16", b16, {bf16, bf16}, [](Lane a) { return half_mul(kBrain16, a); }));
  f.push_back(lanewise("fma.rn.f16", b16, {f16, f16, f16}, [](Lane a) { return half_fma(kBinary16, a); }));
  f.push_back(lanewise("fma.rn.bf16", b16, {bf16, bf16, bf16}, [](Lane a) { return half_fma(kBrain16, a); }));
}

}  // namespace

std::vector<Form> float_forms() {
  std::vector<Form> f;
  f32_forms(f);
  special_functions(f);
  half_forms(f);
  return f;
}

}  // namespace xqacheck::ptx::forms
