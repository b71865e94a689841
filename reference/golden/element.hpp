// Elements of tensors as exact doubles, and rounding to the number formats of kernels. Every format here fits into a
// double, so decoding is exact; rounding is to nearest even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

inline double from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

inline double from_fp16(std::uint16_t bits) {
  const std::uint32_t exponent = bits >> 10 & 0x1fu, fraction = bits & 0x3ffu;
  double magnitude = 0;
  if (exponent == 0x1f) {
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else {
    magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  }
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

// E4M3: bias 7, no infinities, S.1111.111 is NaN.
inline double from_e4m3(std::uint8_t bits) {
  const std::uint32_t exponent = bits >> 3 & 0xfu, fraction = bits & 7u;
  if ((bits & 0x7fu) == 0x7fu) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, static_cast<int>(exponent) - 10);
  return (bits & 0x80u) != 0 ? -magnitude : magnitude;
}

inline std::uint32_t bytes_of(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_INT8:
    case XQACHECK_E4M3:
      return 1;
    case XQACHECK_FP16:
    case XQACHECK_BF16:
      return 2;
    case XQACHECK_FP32:
    case XQACHECK_INT32:
    case XQACHECK_UINT32:
      return 4;
    default:
      return 0;
  }
}

// Element at `data`, which need not be aligned. `dtype` is one of the numeric formats of q, k, v and out.
inline double element(const void* data, std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_INT8: {
      std::int8_t value;
      std::memcpy(&value, data, 1);
      return value;
    }
    case XQACHECK_E4M3: {
      std::uint8_t bits;
      std::memcpy(&bits, data, 1);
      return from_e4m3(bits);
    }
    case XQACHECK_FP16:
    case XQACHECK_BF16: {
      std::uint16_t bits;
      std::memcpy(&bits, data, 2);
      return dtype == XQACHECK_FP16 ? from_fp16(bits) : from_bf16(bits);
    }
    case XQACHECK_FP32: {
      float value;
      std::memcpy(&value, data, 4);
      return value;
    }
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

// What a format can hold. `bits` counts the significand with its hidden bit; int8 is a fixed-point format with
// spacing 1.
struct NumberFormat {
  int bits;          // significand bits; the unit roundoff is 2^-bits
  int min_exponent;  // exponent of the smallest normal number
  double largest;    // largest finite number
  bool saturates;    // what is too large becomes `largest`, not infinity
};

inline NumberFormat format_of(std::uint32_t dtype) {
  switch (dtype) {
    case XQACHECK_FP16:
      return {11, -14, 65504.0, false};
    case XQACHECK_BF16:
      return {8, -126, 0x1.fep127, false};
    case XQACHECK_E4M3:
      return {4, -6, 448.0, true};
    case XQACHECK_INT8:
      return {7, 6, 127.0, true};  // spacing 2^(6 - 7 + 1) = 1 everywhere
    default:
      return {24, -126, 0x1.fffffep127, false};
  }
}

// Distance between neighbours of the format around |x|: of the binade that holds |x|.
inline double spacing(const NumberFormat& format, double x) {
  int exponent = format.min_exponent;
  if (x != 0 && std::isfinite(x)) exponent = std::max(exponent, std::ilogb(x));
  return std::ldexp(1.0, exponent - format.bits + 1);
}

// Nearest even. int8 saturates at -128 on the negative side.
inline double rounded(const NumberFormat& format, double x) {
  if (!std::isfinite(x)) return std::isnan(x) || !format.saturates ? x : std::copysign(format.largest, x);
  const double quantum = spacing(format, x);
  const double y = std::nearbyint(x / quantum) * quantum;  // exact: a power of two
  if (std::fabs(y) <= format.largest) return y;
  if (format.bits == 7 && y <= -128) return -128;
  return std::copysign(format.saturates ? format.largest : std::numeric_limits<double>::infinity(), y);
}

}  // namespace xqacheck::reference
