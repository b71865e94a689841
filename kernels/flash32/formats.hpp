// Number formats of q, k, v and out: stored bits to fp32 (always exact) and fp32 to stored bits (round to nearest
// even). The kernel's own, small and branch-light: a kernel under test shares no code with the harness that judges it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/abi/xqacheck_contradiction.h"
#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels::flash32 {

inline std::uint32_t element_bytes(std::uint32_t dtype) { return xqacheck_element_bytes(dtype); }

inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// The exponent and fraction land 112 binades too low (bias 15 read as bias 127); one exact product lifts them,
// subnormals included. Inf and NaN would become finite, so their exponent is set to all ones afterwards.
inline float from_fp16(std::uint16_t bits) {
  const std::uint32_t magnitude = std::uint32_t{bits} & 0x7fffu;
  const float lifted = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(lifted) | special | (std::uint32_t{bits} & 0x8000u) << 16);
}

// E4M3 (bias 7, no infinities, 0x7f and 0xff are NaN): lifted by 2^(127-7) in the same way.
inline float from_e4m3(std::uint8_t bits) {
  const std::uint32_t magnitude = bits & 0x7fu;
  const float lifted = std::bit_cast<float>(magnitude << 20) * 0x1p120f;
  const std::uint32_t special = magnitude == 0x7fu ? 0x7fc00000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(lifted) | special | (bits & 0x80u) << 24);
}

inline std::uint16_t to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);  // stays a (quiet) NaN when cut
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Rounds |value| to a multiple of `quantum` (a power of two), ties to even: adding and subtracting 1.5 * 2^23 * quantum
// makes the fp32 adder do the rounding. Needs |value| < 2^22 * quantum.
inline float round_to_multiple(float value, float quantum) {
  const float shifter = 0x1.8p23f * quantum;
  return (value + shifter) - shifter;
}

// Spacing of a format with `fraction_bits` at |value|, not below its subnormal spacing 2^min_exponent.
inline float spacing(float value, int fraction_bits, int min_exponent) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 0xffu) - 127 - fraction_bits;
  return std::bit_cast<float>(static_cast<std::uint32_t>((exponent > min_exponent ? exponent : min_exponent) + 127)
                              << 23);
}

inline std::uint16_t to_fp16(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 16 & 0x8000u;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);  // half way to 2^16 and up: infinity
  const float rounded = round_to_multiple(magnitude, spacing(magnitude, 10, -24));
  return static_cast<std::uint16_t>(sign | std::bit_cast<std::uint32_t>(rounded * 0x1p-112f) >> 13);
}

// Saturating, as the hardware conversion that attention kernels use: Inf and everything too large become 448.
inline std::uint8_t to_e4m3(float value) {
  const std::uint32_t sign = std::bit_cast<std::uint32_t>(value) >> 24 & 0x80u;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7fu);
  const float magnitude = std::fabs(value);
  if (magnitude >= 448.0f) return static_cast<std::uint8_t>(sign | 0x7eu);
  const float rounded = round_to_multiple(magnitude, spacing(magnitude, 3, -9));
  return static_cast<std::uint8_t>(sign | std::bit_cast<std::uint32_t>(rounded * 0x1p-120f) >> 20);
}

inline std::int8_t to_int8(float value) {
  if (std::isnan(value)) return 0;  // the format has no NaN
  return static_cast<std::int8_t>(std::nearbyint(std::fmin(std::fmax(value, -128.0f), 127.0f)));
}

// Decodes `count` consecutive elements that begin at element `index` of `data`.
inline void decode(const void* data, std::uint32_t dtype, std::int64_t index, std::uint32_t count, float* values) {
  if (dtype == XQACHECK_BF16) {
    const auto* source = static_cast<const std::uint16_t*>(data) + index;
    for (std::uint32_t i = 0; i < count; ++i) values[i] = from_bf16(source[i]);
  } else if (dtype == XQACHECK_FP16) {
    const auto* source = static_cast<const std::uint16_t*>(data) + index;
    for (std::uint32_t i = 0; i < count; ++i) values[i] = from_fp16(source[i]);
  } else if (dtype == XQACHECK_INT8) {
    const auto* source = static_cast<const std::int8_t*>(data) + index;
    for (std::uint32_t i = 0; i < count; ++i) values[i] = static_cast<float>(source[i]);
  } else {
    const auto* source = static_cast<const std::uint8_t*>(data) + index;
    for (std::uint32_t i = 0; i < count; ++i) values[i] = from_e4m3(source[i]);
  }
}

// Encodes one element of the output or of the cache.
inline void encode(float value, std::uint32_t dtype, void* data, std::int64_t index) {
  if (dtype == XQACHECK_BF16) {
    static_cast<std::uint16_t*>(data)[index] = to_bf16(value);
  } else if (dtype == XQACHECK_FP16) {
    static_cast<std::uint16_t*>(data)[index] = to_fp16(value);
  } else if (dtype == XQACHECK_INT8) {
    static_cast<std::int8_t*>(data)[index] = to_int8(value);
  } else {
    static_cast<std::uint8_t*>(data)[index] = to_e4m3(value);
  }
}

}  // namespace xqacheck::kernels::flash32
