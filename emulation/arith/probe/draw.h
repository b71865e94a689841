// Adversarial operands for the matrix rule, the same on the host and on a GPU: every element is a pure function of
// (seed, kind, tile, matrix, vector, k). Used by the tests and by `xqacheck probe`; plain C++ that nvcc also takes.
//
// Each kind aims at one way of being wrong: alignment, truncation, cancellation, zeros that must not set the exponent,
// denormals, the floor, overflow, specials.
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define XQACHECK_DRAW __host__ __device__ inline
#else
#define XQACHECK_DRAW inline
#endif

namespace xqacheck {
namespace arith {
namespace draw {

enum Kind {
  kRandomBits,     // any pattern, NaN and infinity included
  kModerate,       // exponents within a few of each other: every product counts
  kSpecials,       // finite with a few infinities, NaNs and zeros
  kCancel,         // pairs that cancel exactly, so a small rest decides
  kDenormals,      // mostly denormal operands
  kSpread,         // exponents over the whole range, no specials
  kOverflow,       // large exponents: sums beyond 2^128 where the format reaches it
  kUnderflow,      // small exponents: results near or below the normal range
  kZeros,          // mostly zeros of both signs, few others
  kIntegers,       // small integers: exact sums
  kPowers,         // powers of two: alignment distances of every size
  kOnes,           // mantissas of all ones: the largest products per exponent
  kTopC,           // C near or above the largest product
  kDeep,           // products around 2^-133 where the format reaches it, small C or none
  kNearCancel,     // pairs that cancel but for their lowest bits
  kZeroWithLarge,  // a zero beside the largest exponents, other products tiny
  kKinds
};

enum Matrix { kA = 1, kB = 2, kC = 3 };

// splitmix64's finaliser: full avalanche, a few operations.
XQACHECK_DRAW uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

struct Stream {
  uint64_t seed;
  uint32_t kind;
  uint32_t tile;
};

XQACHECK_DRAW uint64_t random_bits(const Stream& stream, uint32_t matrix, uint32_t vector, uint32_t k) {
  const uint64_t place = (static_cast<uint64_t>(stream.tile) << 32) ^ (static_cast<uint64_t>(vector) << 14) ^ k;
  const uint64_t which = (static_cast<uint64_t>(stream.kind) << 8 | matrix) * 0x9e3779b97f4a7c15ull;
  return mix(mix(stream.seed + which) + place * 0xd1342543de82ef95ull);
}

// A float format by its field widths; `top` is the largest biased exponent of finite numbers.
struct Layout {
  int mantissa_bits;
  int exponent_bits;
  int bias;
  int top;
};

XQACHECK_DRAW Layout f16_layout() {
  return {10, 5, 15, 30};
}
XQACHECK_DRAW Layout bf16_layout() {
  return {7, 8, 127, 254};
}
XQACHECK_DRAW Layout e4m3_layout() {
  return {3, 4, 7, 15};
}
XQACHECK_DRAW Layout f32_layout() {
  return {23, 8, 127, 254};
}

XQACHECK_DRAW uint32_t clamp_exponent(const Layout& layout, int biased) {
  return static_cast<uint32_t>(biased < 0 ? 0 : biased > layout.top ? layout.top : biased);
}

XQACHECK_DRAW uint32_t pattern(const Layout& layout, uint32_t sign, int biased, uint32_t mantissa) {
  const uint32_t mask = (1u << layout.mantissa_bits) - 1;
  uint32_t magnitude = clamp_exponent(layout, biased) << layout.mantissa_bits | (mantissa & mask);
  // e4m3 has its NaN in the top exponent: the largest number instead.
  if (layout.exponent_bits == 4 && magnitude == 0x7f) magnitude = 0x7e;
  return (sign & 1) << (layout.mantissa_bits + layout.exponent_bits) | magnitude;
}

// Element k of vector `vector` of A or B.
XQACHECK_DRAW uint32_t operand(const Layout& layout, const Stream& stream, uint32_t matrix, uint32_t vector,
                               uint32_t k) {
  const uint64_t r = random_bits(stream, matrix, vector, k);
  const uint32_t sign = static_cast<uint32_t>(r) & 1;
  const uint32_t mantissa = static_cast<uint32_t>(r >> 1) & 0x7fffff;
  const uint32_t small = static_cast<uint32_t>(r >> 24) & 0xff;
  const int wide = static_cast<int>((r >> 32) & 0xffff);
  const uint32_t choice = static_cast<uint32_t>(r >> 48) & 0xffff;
  const int width = layout.mantissa_bits + layout.exponent_bits + 1;
  const int one = layout.bias;
  switch (stream.kind) {
    case kRandomBits:
      return static_cast<uint32_t>(r >> 8) & ((1u << width) - 1);
    case kModerate:
      return pattern(layout, sign, one - 3 + static_cast<int>(small % 6), mantissa);
    case kSpecials: {
      // One operand in 32 is special, so that many groups have one or two.
      if (choice % 32 == 0) {
        const uint32_t infinity = static_cast<uint32_t>(layout.top + 1) << layout.mantissa_bits;
        const uint32_t special = layout.exponent_bits == 4 ? 0x7f
                                 : choice % 128 == 0       ? infinity | 1 | (mantissa & 3)
                                                           : infinity;
        return sign << (width - 1) | special;
      }
      if (choice % 32 == 1) return sign << (width - 1);
      return pattern(layout, sign, one - 2 + static_cast<int>(small % 5), mantissa);
    }
    case kCancel: {
      // Elements 2j and 2j+1 of A agree; those of B differ in sign, except that one pair in eight is left alone.
      const uint64_t pair = random_bits(stream, matrix, vector, k & ~1u);
      const bool leave = ((pair >> 60) & 7) == 0;
      const uint64_t source = leave ? r : pair;
      const uint32_t flip = matrix == kB && !leave ? k & 1 : 0;
      return pattern(layout, (static_cast<uint32_t>(source) & 1) ^ flip,
                     one - 6 + static_cast<int>((source >> 24) % 13), static_cast<uint32_t>(source >> 1));
    }
    case kDenormals:
      return pattern(layout, sign, small < 220 ? 0 : static_cast<int>(small % 4), mantissa);
    case kSpread:
      return pattern(layout, sign, wide % (layout.top + 1), mantissa);
    case kOverflow:
      // bf16: 2^62 ... 2^64 a factor, so that products and sums pass 2^127 one way or the other.
      return pattern(layout, choice % 16 == 0 ? sign : 0,
                     (layout.bias == 127 ? one + 64 : layout.top) - static_cast<int>(small % 3), mantissa);
    case kUnderflow:  // bf16: products around 2^-132; else the smallest exponents
      return pattern(layout, sign, layout.bias == 127 ? 55 + static_cast<int>(small % 14) : static_cast<int>(small % 3),
                     mantissa);
    case kZeros:
      return small < 200 ? sign << (width - 1) : pattern(layout, sign, wide % (layout.top + 1), mantissa);
    case kIntegers: {
      const uint32_t n = 1 + small % 8;  // 1 ... 8
      int log = 0;
      while (n >> (log + 1) != 0) ++log;
      return pattern(layout, sign, one + log, (n << layout.mantissa_bits >> log));
    }
    case kPowers:
      return pattern(layout, sign, one - 14 + static_cast<int>(small % 29), 0);
    case kOnes:
      return pattern(layout, choice % 8 == 0 ? sign : 0, one - static_cast<int>(small % 2), 0x7fffff);
    case kTopC:
      return pattern(layout, sign, one - 4 + static_cast<int>(small % 8), mantissa);
    case kDeep:
      // bf16: products of 2^-156 to 2^-132. The floor keeps bits down to 2^-158, which only products below 2^-144
      // reach.
      return pattern(layout, sign, layout.bias == 127 ? 49 + static_cast<int>(small % 13) : static_cast<int>(small % 2),
                     mantissa);
    case kNearCancel: {
      const uint64_t pair = random_bits(stream, matrix, vector, k & ~1u);
      const uint32_t flip = matrix == kB ? k & 1 : 0;
      const uint32_t nudge = small % 4 == 0 ? k & 1 : 0;
      return pattern(layout, (static_cast<uint32_t>(pair) & 1) ^ flip, one - 5 + static_cast<int>((pair >> 24) % 11),
                     (static_cast<uint32_t>(pair >> 1) & ~1u) | nudge);
    }
    default: {  // kZeroWithLarge: A is zero where B is large and the other way round
      const bool zero_here = (random_bits(stream, 7, 0, k) & 1) == (matrix == kA ? 0u : 1u);
      if (zero_here && small < 128) return sign << (width - 1);
      const bool large = (random_bits(stream, 7, 0, k) & 1) != (matrix == kA ? 0u : 1u) && choice % 2 == 0;
      return pattern(layout, sign, large ? layout.top - static_cast<int>(small % 4) : static_cast<int>(small % 6),
                     mantissa);
    }
  }
}

enum Code { kF16, kBf16, kE4m3, kS8 };

// Element of A or B in one of the matrix formats; s8 has no kinds, any byte will do.
XQACHECK_DRAW uint32_t element(Code code, const Stream& stream, uint32_t matrix, uint32_t vector, uint32_t k) {
  switch (code) {
    case kF16:
      return operand(f16_layout(), stream, matrix, vector, k);
    case kBf16:
      return operand(bf16_layout(), stream, matrix, vector, k);
    case kE4m3:
      return operand(e4m3_layout(), stream, matrix, vector, k);
    default:
      return static_cast<uint32_t>(random_bits(stream, matrix, vector, k)) & 0xff;
  }
}

// Number i of three streams (`which` 0 to 2) of f32 operands for add, mul and fma: any bits; near 1; products and sums
// around 2^-126; the edge itself, and factors next to one; mantissas that round up to powers of two; specials.
XQACHECK_DRAW uint32_t f32_operand(uint32_t which, uint64_t i) {
  const uint64_t r = mix(i * 3 + which);
  const uint32_t bits = static_cast<uint32_t>(r);
  const uint32_t fraction = bits & 0x807fffffu;
  const uint32_t pick = static_cast<uint32_t>(r >> 40);
  switch (static_cast<uint32_t>(r >> 36) % 8) {
    case 0:
      return bits;
    case 1:
      return fraction | (120 + pick % 14) << 23;
    case 2:
      return fraction | (62 + pick % 4) << 23;
    case 3:
      return fraction | (pick % 4) << 23;
    case 4:
      return (bits & 0x80000000u) | 0x00800000u | (pick % 4);
    case 5:
      return (fraction | 0x7ffff0u) | (62 + pick % 3) << 23;
    case 6:
      return which == 1 ? (0x3f7ffffcu + pick % 8) | (bits & 0x80000000u) : 0x01000000u | (bits & 0x80000007u);
    default:
      switch (pick % 8) {
        case 0:
          return 0;
        case 1:
          return 0x80000000u;
        case 2:
          return 0x7f800000u;
        case 3:
          return 0xff800000u;
        case 4:
          return 0x7fc00000u;
        case 5:
          return 0x00800000u;
        case 6:
          return 0x007fffffu;
        default:
          return 1;
      }
  }
}

// C of (row, column), f32 bits.
XQACHECK_DRAW uint32_t accumulator(const Stream& stream, uint32_t row, uint32_t column) {
  const Layout layout = f32_layout();
  const uint64_t r = random_bits(stream, kC, row, column);
  const uint32_t sign = static_cast<uint32_t>(r) & 1;
  const uint32_t mantissa = static_cast<uint32_t>(r >> 1) & 0x7fffff;
  const int small = static_cast<int>((r >> 24) & 0xff);
  const uint32_t choice = static_cast<uint32_t>(r >> 48) & 0xffff;
  const uint32_t zero = sign << 31;
  if (stream.kind == kRandomBits) return static_cast<uint32_t>(r >> 8);
  if (choice % 4 == 0) return zero;
  switch (stream.kind) {
    case kSpecials:
      return choice % 16 == 1 ? zero | 0x7f800000u | (choice % 32 == 1 ? 1u : 0u)
                              : pattern(layout, sign, 120 + small % 14, mantissa);
    case kDenormals:
      return choice % 4 == 1 ? pattern(layout, sign, 0, mantissa) : pattern(layout, sign, small % 120, mantissa);
    case kSpread:
      return pattern(layout, sign, static_cast<int>(choice >> 2) % 255, mantissa);
    case kOverflow:
      return pattern(layout, choice % 16 == 1 ? sign : 0, 248 + small % 7, mantissa);
    case kUnderflow:
      return pattern(layout, sign, choice % 4 == 1 ? 0 : small % 24, mantissa);
    case kZeros:
      return pattern(layout, sign, small, mantissa);
    case kTopC:
      return pattern(layout, sign, 124 + small % 32, mantissa);
    case kDeep:
      return choice % 4 == 1 ? pattern(layout, sign, small % 2, mantissa >> (small % 23)) : zero;
    case kZeroWithLarge:
      return pattern(layout, sign, small % 3 == 0 ? small % 110 : 0, mantissa);
    default:
      return pattern(layout, sign, 110 + small % 26, mantissa);
  }
}

}  // namespace draw
}  // namespace arith
}  // namespace xqacheck
