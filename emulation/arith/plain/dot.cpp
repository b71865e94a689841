#include "emulation/arith/plain/dot.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "emulation/arith/plain/convert.hpp"
#include "emulation/arith/plain/f32.hpp"

namespace xqacheck::arith::plain {

namespace {

constexpr size_t kMaxGroup = 64;

// (-1)^negative * mantissa * 2^(exponent - fraction_bits)
struct Term {
  bool negative;
  uint64_t mantissa;
  int exponent;
  int fraction_bits;
};

// Signed integer multiple of 2^(top - kept), magnitude truncated.
int64_t aligned(const Term& term, int top, int kept) {
  const int shift = term.exponent - top + kept - term.fraction_bits;
  const uint64_t magnitude = shift >= 0 ? term.mantissa << shift : shift > -64 ? term.mantissa >> -shift : 0;
  return term.negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
}

// sum * 2^exponent to f32, magnitude truncated to `mantissa_bits` fraction bits; denormals kept, zero is +0.
uint32_t normalised(int64_t sum, int exponent, int mantissa_bits) {
  if (sum == 0) return 0;
  const uint32_t sign = sum < 0 ? kF32.sign_bit() : 0;
  const uint64_t magnitude = sum < 0 ? static_cast<uint64_t>(-sum) : static_cast<uint64_t>(sum);
  const int leading = 63 - std::countl_zero(magnitude) + exponent;
  if (leading > 127) return sign | kF32.infinity();
  const int quantum = std::max(leading, kF32.min_exponent()) - mantissa_bits;
  const int shift = exponent - quantum;
  const uint64_t kept = shift >= 0 ? magnitude << shift : shift > -64 ? magnitude >> -shift : 0;
  if (kept == 0) return 0;
  // `kept` counts units of 2^quantum with the hidden bit at mantissa_bits; widen to 23 fraction bits and add the
  // exponent.
  const uint64_t mantissa = kept << (kF32.mantissa_bits - mantissa_bits);
  const auto above_min = static_cast<uint64_t>(std::max(leading, kF32.min_exponent()) - kF32.min_exponent());
  return sign | static_cast<uint32_t>((above_min << kF32.mantissa_bits) + mantissa);
}

}  // namespace

uint32_t fused_dot(const DotRule& rule, Format format, std::span<const uint16_t> a, std::span<const uint16_t> b,
                   uint32_t c_bits, const DotFault& fault) {
  const FloatFormat& layout = layout_of(format);
  std::array<Term, kMaxGroup + 1> terms;
  size_t count = 0;
  bool any_nan = false;
  bool infinity[2] = {false, false};  // by sign
  constexpr int kNone = -100000;      // below any exponent
  int top = kNone;
  const auto add_term = [&](const Term& term) {
    if (term.mantissa != 0 || fault.zero_products_set_exponent) top = std::max(top, term.exponent);
    if (term.mantissa != 0) terms[count++] = term;
  };

  for (size_t i = 0; i < a.size(); ++i) {
    const Decoded x = decode(layout, a[i]);
    const Decoded y = decode(layout, b[i]);
    const bool negative = x.negative != y.negative;
    const bool one_is_infinite = x.kind == Class::infinite || y.kind == Class::infinite;
    const bool one_is_zero = x.kind == Class::zero || y.kind == Class::zero;
    if (x.kind == Class::nan || y.kind == Class::nan || (one_is_infinite && one_is_zero))
      any_nan = true;
    else if (one_is_infinite)
      infinity[negative ? 1 : 0] = true;
    else
      add_term({negative, uint64_t{x.mantissa} * y.mantissa, x.exponent + y.exponent, 2 * layout.mantissa_bits});
  }
  const Decoded c = decode(kF32, c_bits);
  if (c.kind == Class::nan)
    any_nan = true;
  else if (c.kind == Class::infinite)
    infinity[c.negative ? 1 : 0] = true;
  else if (c.mantissa != 0)
    add_term({c.negative, c.mantissa, c.exponent, kF32.mantissa_bits});

  if (any_nan || (infinity[0] && infinity[1])) return kF32.nan;
  if (infinity[0]) return kF32.infinity();
  if (infinity[1]) return kF32.sign_bit() | kF32.infinity();

  if (!fault.no_floor) top = std::max(top, rule.floor);
  const int kept = rule.fraction_bits + fault.fraction_bits_delta;
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += aligned(terms[i], top, kept);
  return normalised(sum, top - kept, rule.result_mantissa);
}

namespace {

uint32_t integer_dot(std::span<const uint16_t> a, std::span<const uint16_t> b, uint32_t c) {
  for (size_t i = 0; i < a.size(); ++i) {
    c += static_cast<uint32_t>(static_cast<int8_t>(a[i]) * static_cast<int8_t>(b[i]));
  }
  return c;
}

// One k32 step: each half register (k mod 4 in {0,1}, then {2,3}) is one f16 instruction, from zero; then C is added.
uint32_t e4m3_step_via_f16(const DotRule& rule, std::span<const uint16_t> a, std::span<const uint16_t> b, uint32_t c,
                           const DotFault& fault) {
  uint32_t partial = 0;
  for (size_t half = 0; half < 2; ++half) {
    std::array<uint16_t, kMaxGroup> wide_a;
    std::array<uint16_t, kMaxGroup> wide_b;
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      if (i % 4 / 2 != half) continue;
      wide_a[count] = cvt_f16_e4m3(static_cast<uint8_t>(a[i]));
      wide_b[count] = cvt_f16_e4m3(static_cast<uint8_t>(b[i]));
      ++count;
    }
    partial = fused_dot(rule, Format::f16, {wide_a.data(), count}, {wide_b.data(), count}, partial, fault);
  }
  return add_rn_f32(c, partial);
}

}  // namespace

uint32_t dot(const MatrixInstruction& instruction, std::span<const uint16_t> a, std::span<const uint16_t> b, uint32_t c,
             const DotFault& fault) {
  if (instruction.lowering == Lowering::integer) return integer_dot(a, b, c);
  const bool via_f16 = instruction.lowering == Lowering::e4m3_via_f16;
  const auto step = static_cast<size_t>(via_f16 ? instruction.k : instruction.rule.group);
  for (size_t begin = 0; begin < a.size(); begin += step) {
    const size_t count = std::min(step, a.size() - begin);
    const auto part_a = a.subspan(begin, count);
    const auto part_b = b.subspan(begin, count);
    c = via_f16 ? e4m3_step_via_f16(instruction.rule, part_a, part_b, c, fault)
                : fused_dot(instruction.rule, instruction.operands, part_a, part_b, c, fault);
  }
  return c;
}

}  // namespace xqacheck::arith::plain
