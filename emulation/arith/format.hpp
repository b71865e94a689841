// The number formats of attention kernels as bit patterns: layout, classification, decoding.
//
// Everything in emulation/arith works on bit patterns (uint8_t, uint16_t, uint32_t); no function depends on the
// host's rounding or denormal mode. A finite operand is (-1)^s * mantissa * 2^(exponent - mantissa_bits): exponent =
// max(biased exponent, 1) - bias, mantissa with the hidden bit if the biased exponent is above 0, *not* normalised
// (that is how the matrix unit sees denormals).
#pragma once

#include <cstdint>

namespace xqacheck::arith {

enum class Format : uint8_t { f32, f16, bf16, e4m3, s8 };

// Layout of a binary floating-point format.
struct FloatFormat {
  int mantissa_bits;  // stored fraction bits
  int exponent_bits;
  int bias;
  bool has_infinity;  // e4m3 has none: the top exponent holds numbers, and one NaN per sign
  uint32_t nan;       // the NaN that the hardware writes

  constexpr int width() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
  constexpr uint32_t magnitude_mask() const { return sign_bit() - 1; }
  // Pattern of +infinity; for e4m3, which has none, the first pattern past the exponent range (unused).
  constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  constexpr int min_exponent() const { return 1 - bias; }  // of the smallest normal number
};

inline constexpr FloatFormat kF32{23, 8, 127, true, 0x7fffffffu};
inline constexpr FloatFormat kF16{10, 5, 15, true, 0x7fffu};
inline constexpr FloatFormat kBf16{7, 8, 127, true, 0x7fffu};
inline constexpr FloatFormat kE4m3{3, 4, 7, false, 0x7fu};

constexpr const FloatFormat& layout_of(Format format) {
  switch (format) {
    case Format::f16:
      return kF16;
    case Format::bf16:
      return kBf16;
    case Format::e4m3:
      return kE4m3;
    default:
      return kF32;
  }
}

// Storage size in bytes of one element.
constexpr int bytes_of(Format format) {
  return format == Format::f32 ? 4 : (format == Format::f16 || format == Format::bf16) ? 2 : 1;
}

constexpr const char* name_of(Format format) {
  switch (format) {
    case Format::f32:
      return "f32";
    case Format::f16:
      return "f16";
    case Format::bf16:
      return "bf16";
    case Format::e4m3:
      return "e4m3";
    case Format::s8:
      return "s8";
  }
  return "?";
}

enum class Class : uint8_t { zero, finite, infinite, nan };

struct Decoded {
  Class kind;
  bool negative;
  uint32_t mantissa;  // integer, hidden bit included, not normalised; 0 unless finite
  int exponent;       // value = mantissa * 2^(exponent - mantissa_bits)
};

constexpr Decoded decode(const FloatFormat& format, uint32_t bits) {
  const uint32_t magnitude = bits & format.magnitude_mask();
  const bool negative = (bits & format.sign_bit()) != 0;
  if (format.has_infinity) {
    if (magnitude == format.infinity()) return {Class::infinite, negative, 0, 0};
    if (magnitude > format.infinity()) return {Class::nan, negative, 0, 0};
  } else if (magnitude == format.magnitude_mask()) {
    return {Class::nan, negative, 0, 0};
  }
  if (magnitude == 0) return {Class::zero, negative, 0, format.min_exponent()};
  const int biased = static_cast<int>(magnitude >> format.mantissa_bits);
  const uint32_t fraction = magnitude & ((1u << format.mantissa_bits) - 1);
  if (biased == 0) return {Class::finite, negative, fraction, format.min_exponent()};
  return {Class::finite, negative, fraction | (1u << format.mantissa_bits), biased - format.bias};
}

constexpr bool is_nan(const FloatFormat& format, uint32_t bits) {
  return decode(format, bits).kind == Class::nan;
}

}  // namespace xqacheck::arith
