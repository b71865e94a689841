// Exact integers to floating point: the one place where the plain implementations round.
#pragma once

#include <cstdint>

#include "emulation/arith/format.hpp"

namespace xqacheck::arith::plain {

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

// (-1)^negative * magnitude * 2^exponent, magnitude an integer.
struct Exact {
  bool negative = false;
  uint128 magnitude = 0;
  int exponent = 0;
};

// Position of the leading one: floor(log2(value)). Precondition: value != 0.
int leading_bit(uint128 value);

// magnitude / 2^shift rounded to the nearest integer, ties to even. shift may be negative (exact left shift) or larger
// than 127.
uint128 shift_right_nearest_even(uint128 magnitude, int shift);

// Round to nearest even into `format` (one with infinities), denormals kept, overflow to infinity. Zero keeps the sign.
uint32_t round_nearest_even(const FloatFormat& format, const Exact& value);

// Round toward zero; overflow gives the largest finite number.
uint32_t round_toward_zero(const FloatFormat& format, const Exact& value);

// f32 result of a .ftz instruction: flushed to signed zero iff, rounded to 24 bits with unlimited exponent, its
// magnitude is below 2^-126 (tininess after rounding).
uint32_t round_nearest_even_ftz(const Exact& value);

// Exact sum; where the leading bits are far apart the smaller addend is replaced by one unit far below the rounding
// position of any format here, which rounds alike (a sticky bit). A sum of zero is not negative.
// Precondition: magnitudes below 2^49 (a product of two f32 mantissas has 48 bits).
Exact add(const Exact& a, const Exact& b);

// The finite value that a decoded operand stands for.
Exact exact_of(const FloatFormat& format, const Decoded& operand);

}  // namespace xqacheck::arith::plain
