// Conversions. In the x2 forms the first source becomes the high half.
#include <cmath>

#include "emulation/ptx/forms/slow_float.hpp"
#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {
namespace {

constexpr Width b16 = Width::b16, b32 = Width::b32, b64 = Width::b64;

double number(Bits bits) {
  return value_of(kBinary32, u32(bits));
}
std::uint32_t to(const Binary& format, Bits bits) {
  return round_to(format, number(bits));
}
std::uint32_t widen(const Binary& format, Bits bits) {
  return round_to(kBinary32, value_of(format, u32(bits)));
}

// cvt to an integer: out of range is clamped, NaN gives 0 (PTX ISA, cvt).
std::int32_t to_s32(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int32_t>(std::fmin(std::fmax(value, -2147483648.0), 2147483647.0));
}
std::uint32_t to_u32(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::uint32_t>(std::fmin(std::fmax(value, 0.0), 4294967295.0));
}

void from_f32(std::vector<Form>& f) {
  f.push_back(lanewise("cvt.rn.f16.f32", b16, {f32}, [](Lane a) { return to(kBinary16, a[0]); }));
  f.push_back(lanewise("cvt.rn.bf16.f32", b16, {f32}, [](Lane a) { return to(kBrain16, a[0]); }));
  f.push_back(lanewise("cvt.rz.bf16.f32", b16, {f32},
                       [](Lane a) { return round_to(kBrain16, number(a[0]), Round::toward_zero); }));
  f.push_back(lanewise("cvt.rz.f16.f32", b16, {f32},
                       [](Lane a) { return round_to(kBinary16, number(a[0]), Round::toward_zero); }));
  f.push_back(lanewise("cvt.rn.f16x2.f32", b32, {f32, f32},
                       [](Lane a) { return to(kBinary16, a[0]) << 16 | to(kBinary16, a[1]); }));
  f.push_back(lanewise("cvt.rn.bf16x2.f32", b32, {f32, f32},
                       [](Lane a) { return to(kBrain16, a[0]) << 16 | to(kBrain16, a[1]); }));
  f.push_back(lanewise("cvt.rn.satfinite.e4m3x2.f32", b16, {f32, f32},
                       [](Lane a) { return to(kE4m3x1, a[0]) << 8 | to(kE4m3x1, a[1]); }));
  f.push_back(lanewise("cvt.rni.s32.f32", b32, {f32}, [](Lane a) { return to_s32(std::nearbyint(number(a[0]))); }));
  f.push_back(lanewise("cvt.rzi.s32.f32", b32, {f32}, [](Lane a) { return to_s32(std::trunc(number(a[0]))); }));
  f.push_back(lanewise("cvt.rzi.ftz.u32.f32", b32, {f32}, [](Lane a) { return to_u32(std::trunc(number(a[0]))); }));
  f.push_back(lanewise("cvt.rmi.ftz.f32.f32", b32, {f32}, [](Lane a) {
    return round_to(kBinary32, std::floor(value_of(kBinary32, flush(kBinary32, u32(a[0])))));
  }));
}

void to_f32(std::vector<Form>& f) {
  f.push_back(lanewise("cvt.f32.f16", b32, {f16}, [](Lane a) { return widen(kBinary16, a[0]); }));
  // A shift: the payload of a NaN stays (measured on an H200).
  f.push_back(lanewise("cvt.f32.bf16", b32, {bf16}, [](Lane a) { return a[0] << 16; }));
  f.push_back(lanewise("cvt.rn.f32.s32", b32, {w}, [](Lane a) { return round_to(kBinary32, s32(a[0])); }));
  f.push_back(lanewise("cvt.rn.f32.u32", b32, {w}, [](Lane a) { return round_to(kBinary32, u32(a[0])); }));
}

void others(std::vector<Form>& f) {
  f.push_back(lanewise("cvt.rn.f16x2.e4m3x2", b32, {e4m3x2}, [](Lane a) {
    const auto half = [](Bits x) { return round_to(kBinary16, value_of(kE4m3x1, x & 0xFF)); };
    return half(a[0] >> 8) << 16 | half(a[0]);
  }));
  f.push_back(lanewise("cvt.rn.satfinite.e4m3x2.f16x2", b16, {f16x2}, [](Lane a) {
    const auto byte = [](Bits x) { return round_to(kE4m3x1, value_of(kBinary16, x & 0xFFFF)); };
    return byte(a[0] >> 16) << 8 | byte(a[0]);
  }));
  f.push_back(lanewise("cvt.rn.f16.s32", b16, {w}, [](Lane a) { return round_to(kBinary16, s32(a[0])); }));
  f.push_back(lanewise("cvt.rn.bf16.s32", b16, {w}, [](Lane a) { return round_to(kBrain16, s32(a[0])); }));
  f.push_back(lanewise("cvt.s32.s8", b32, {w}, [](Lane a) { return static_cast<std::int8_t>(a[0] & 0xFF); }));
  f.push_back(lanewise("cvt.u32.u8", b32, {w}, [](Lane a) { return a[0] & 0xFF; }));
  f.push_back(lanewise("cvt.u16.u32", b16, {w}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise("cvt.u32.u16", b32, {h}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise("cvt.s32.s16", b32, {h}, [](Lane a) { return s16(a[0]); }));
  f.push_back(lanewise("cvt.u64.u32", b64, {w}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise("cvt.u64.u16", b64, {h}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise("cvt.u32.u64", b32, {q}, [](Lane a) { return a[0]; }));
  f.push_back(lanewise("cvt.s64.s32", b64, {w}, [](Lane a) { return std::int64_t{s32(a[0])}; }));
  f.push_back(lanewise("cvt.sat.s8.s32", b32, {w}, [](Lane a) { return std::min(std::max(s32(a[0]), -128), 127); }));
}

}  // namespace

std::vector<Form> convert_forms() {
  std::vector<Form> f;
  from_f32(f);
  to_f32(f);
  others(f);
  return f;
}

}  // namespace xqacheck::ptx::forms
