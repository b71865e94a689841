// Floating point by the definition, in the host's doubles: exact or rounded to odd, then rounded once to the format.
// Shares nothing with emulation/arith, so that the two can be compared.
//
// Rounding a sum to odd in 53 bits and then to nearest in 24 or fewer equals one rounding (Boldo and Melquiond, "When
// double rounding is odd", 2005): 53 >= 24 + 2.
#pragma once

#include <cstdint>

namespace xqacheck::ptx::forms {

struct Binary {
  int mantissa_bits, exponent_bits;
  bool infinities;    // e4m3 has none: all ones is NaN, and results saturate
  std::uint32_t nan;  // what instructions write
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint32_t sign() const { return 1u << (mantissa_bits + exponent_bits); }
};
inline constexpr Binary kBinary32{23, 8, true, 0x7FFFFFFF}, kBinary16{10, 5, true, 0x7FFF},
    kBrain16{7, 8, true, 0x7FFF}, kE4m3x1{3, 4, false, 0x7F};

double value_of(const Binary& format, std::uint32_t bits);      // NaN, infinities and signed zeros included
std::uint32_t flush(const Binary& format, std::uint32_t bits);  // denormals to zero of their sign

enum class Round : std::uint8_t { nearest_even, toward_zero };
// A NaN gives format.nan; formats without infinities saturate.
std::uint32_t round_to(const Binary& format, double value, Round round = Round::nearest_even);
// As round_to, but zero of its sign if, rounded with unlimited exponent, it is below the least normal number.
std::uint32_t round_and_flush(const Binary& format, double value);

double add_to_odd(double a, double b);
// Product of two numbers of at most 24 bits (exact) plus c, to odd.
inline double fma_to_odd(double a, double b, double c) {
  return add_to_odd(a * b, c);
}

// One NaN gives the other operand, two give NaN; +0 is larger than -0.
std::uint32_t maximum(const Binary& format, std::uint32_t a, std::uint32_t b);
std::uint32_t minimum(const Binary& format, std::uint32_t a, std::uint32_t b);

}  // namespace xqacheck::ptx::forms
