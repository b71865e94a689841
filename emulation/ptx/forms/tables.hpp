// The tables of forms, one file each, and the short notation in which they are written.
#pragma once

#include <utility>

#include "emulation/ptx/forms/form.hpp"

namespace xqacheck::ptx::forms {

std::vector<Form> integer_forms();
std::vector<Form> logic_forms();
std::vector<Form> float_forms();
std::vector<Form> convert_forms();
std::vector<Form> warp_forms();
std::vector<Form> matrix_forms();
std::vector<Form> memory_forms();
std::vector<Form> atomic_forms();
std::vector<Form> copy_forms();
std::vector<Form> barrier_forms();

using Bits = std::uint64_t;

// Operands by letters.
inline constexpr Operand h{Width::b16, Values::bits}, w{Width::b32, Values::bits}, q{Width::b64, Values::bits},
    p{Width::pred, Values::flag}, shift{Width::b32, Values::small}, divisor{Width::b32, Values::nonzero},
    f32{Width::b32, Values::f32}, f16{Width::b16, Values::f16x2}, bf16{Width::b16, Values::bf16x2},
    f16x2{Width::b32, Values::f16x2}, bf16x2{Width::b32, Values::bf16x2}, e4m3x2{Width::b16, Values::e4m3x2},
    e4m3x4{Width::b32, Values::e4m3x2}, any_lane{Width::b32, Values::lane}, sparse{Width::b32, Values::sparse},
    lane_id{Width::b32, Values::lane_id};

// A form with one result that each lane computes alone: result = f(operands of the lane).
template <class Function>
Form lanewise(std::string name, Width out, std::vector<Operand> in, Function f, std::string body = "") {
  const std::uint32_t bits = out == Width::pred ? 1 : bytes_of(out) * 8;
  const Bits mask = bits == 64 ? ~Bits{0} : (Bits{1} << bits) - 1;
  auto expected = [f, mask](std::span<const Warp> values, std::span<Warp> results) {
    std::array<Bits, 8> a{};
    for (int i = 0; i < 32; ++i) {
      for (std::size_t k = 0; k < values.size() && k < a.size(); ++k) a[k] = values[k][i];
      results[0][i] = static_cast<Bits>(f(a)) & mask;
    }
  };
  return {std::move(name), std::move(in), {out}, std::move(body), expected};
}
using Lane = const std::array<Bits, 8>&;

// Results are operands, each lane its own: what a store and load, a copy or a move must give.
inline void copy_through(std::span<const Warp> in, std::span<Warp> out) {
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = in[r];
}

constexpr std::uint32_t u32(Bits x) {
  return static_cast<std::uint32_t>(x);
}
constexpr std::int32_t s32(Bits x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
}
constexpr std::uint16_t u16(Bits x) {
  return static_cast<std::uint16_t>(x);
}
constexpr std::int16_t s16(Bits x) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(x));
}
constexpr std::int64_t s64(Bits x) {
  return static_cast<std::int64_t>(x);
}

}  // namespace xqacheck::ptx::forms
