#include "reference/formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace xqacheck::reference {
namespace {

struct Float {
  int exponent_bits, fraction_bits, bias;
};

constexpr Float layout_of(Dtype dtype) {
  return dtype == Dtype::fp16 ? Float{5, 10, 15} : dtype == Dtype::bf16 ? Float{8, 7, 127} : Float{4, 3, 7};
}

constexpr std::uint16_t nan_of(Dtype dtype) {
  return dtype == Dtype::fp16 ? 0x7E00 : dtype == Dtype::bf16 ? 0x7FC0 : 0x7F;
}

// 2^e for normal doubles.
double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

// To nearest even for |x| < 2^51: adding 1.5 * 2^52 leaves no fraction bits.
double round_even(double x) {
  const double magic = 0x1.8p52;
  return (x + magic) - magic;
}

std::uint16_t encode_int8(double value) {
  const double rounded = round_even(std::clamp(std::isnan(value) ? 0.0 : value, -128.0, 127.0));
  return static_cast<std::uint8_t>(static_cast<std::int8_t>(rounded));
}

// fp32 -> format, by integer arithmetic on the bits. Every function handles one element and is inlined into its row
// loop.

std::uint16_t fp16_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7FFFFFFFu;
  if (size > 0x7F800000u) return nan_of(Dtype::fp16);
  if (size >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 65520 and above
  // Below 2^-14 the quantum is 2^-24, the ulp of 0.5f: the addition rounds, the fraction bits are the result.
  if (size < 0x38800000u) {
    const float moved = std::bit_cast<float>(size) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(moved) - 0x3F000000u));
  }
  const std::uint32_t rounded = size + 0xFFFu + (size >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - ((127u - 15u) << 10)));
}

std::uint16_t bf16_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return nan_of(Dtype::bf16);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

std::uint8_t e4m3_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 24 & 0x80u, size = bits & 0x7FFFFFFFu;
  if (size > 0x7F800000u) return 0x7F;
  // Below 2^-6 the quantum is 2^-9, the ulp of 2^14.
  if (size < 0x3C800000u) {
    const float moved = std::bit_cast<float>(size) + 16384.0f;
    return static_cast<std::uint8_t>(sign | (std::bit_cast<std::uint32_t>(moved) - 0x46800000u));
  }
  const std::uint32_t code = ((size + 0x7FFFFu + (size >> 20 & 1u)) >> 20) - ((127u - 7u) << 3);
  return static_cast<std::uint8_t>(sign | std::min(code, 0x7Eu));
}

std::uint8_t int8_of(float value) {
  const float clamped = value > -128.0f ? (value < 127.0f ? value : 127.0f) : (value <= -128.0f ? -128.0f : 0.0f);
  const float magic = 0x1.8p23f;
  return static_cast<std::uint8_t>(static_cast<std::int8_t>((clamped + magic) - magic));
}

template <class Stored, class Convert>
void row(const float* values, std::size_t count, float scale, std::byte* out, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    const Stored stored = convert(values[i] / scale);
    std::memcpy(out + i * sizeof stored, &stored, sizeof stored);
  }
}

}  // namespace

std::uint16_t encode(Dtype dtype, double value) {
  if (dtype == Dtype::int8) return encode_int8(value);
  const Float f = layout_of(dtype);
  if (std::isnan(value)) return nan_of(dtype);
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 1u << (f.exponent_bits + f.fraction_bits) : 0u);
  const double size = std::signbit(value) ? -value : value;
  const auto top =
      static_cast<std::uint16_t>(dtype == Dtype::e4m3 ? 0x7E : ((1u << f.exponent_bits) - 1) << f.fraction_bits);
  if (size > 2 * largest(dtype)) return sign | top;
  // Exponent of the quantum: that of the value's binade, not below the subnormal one.
  const int binade = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023;
  const int quantum = std::max(binade, 1 - f.bias) - f.fraction_bits;
  // Exact scaling by two factors: the quantum of bf16, 2^-133, and its inverse are normal doubles.
  const double steps = round_even(size * power_of_two(-quantum));
  const double rounded = steps * power_of_two(quantum);
  if (rounded > largest(dtype)) return sign | top;
  // Counting in quanta of its binade, a float's bits are steps + binade * 2^fraction_bits with the implied bit dropped.
  const int biased = quantum + f.fraction_bits + f.bias;  // 1 for subnormal and for the first normal binade
  const auto code = static_cast<std::uint32_t>(steps) + (static_cast<std::uint32_t>(biased - 1) << f.fraction_bits);
  return static_cast<std::uint16_t>(sign | code);
}

double decode(Dtype dtype, std::uint16_t bits) {
  if (dtype == Dtype::int8) return static_cast<std::int8_t>(bits & 0xFF);
  const Float f = layout_of(dtype);
  const int exponent = bits >> f.fraction_bits & ((1 << f.exponent_bits) - 1);
  const int fraction = bits & ((1 << f.fraction_bits) - 1);
  const bool negative = bits >> (f.exponent_bits + f.fraction_bits) & 1;
  double size = 0;
  if (dtype == Dtype::e4m3 && (bits & 0x7F) == 0x7F) {
    size = std::numeric_limits<double>::quiet_NaN();
  } else if (dtype != Dtype::e4m3 && exponent == (1 << f.exponent_bits) - 1) {
    size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    size = fraction * power_of_two(1 - f.bias - f.fraction_bits);
  } else {
    size = ((1 << f.fraction_bits) + fraction) * power_of_two(exponent - f.bias - f.fraction_bits);
  }
  return negative ? -size : size;
}

double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp16:
      return 65504;
    case Dtype::bf16:
      return 0x1.FEp127;
    case Dtype::int8:
      return 127;
    case Dtype::e4m3:
      return 448;
  }
  return 0;
}

void encode_row(Dtype dtype, const float* values, std::size_t count, float scale, std::byte* out) {
  switch (dtype) {
    case Dtype::fp16:
      return row<std::uint16_t>(values, count, scale, out, fp16_of);
    case Dtype::bf16:
      return row<std::uint16_t>(values, count, scale, out, bf16_of);
    case Dtype::int8:
      return row<std::uint8_t>(values, count, scale, out, int8_of);
    case Dtype::e4m3:
      return row<std::uint8_t>(values, count, scale, out, e4m3_of);
  }
}

void decode_row(Dtype dtype, const std::byte* stored, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, stored + i * bytes_of(dtype), bytes_of(dtype));
    out[i] = static_cast<float>(decode(dtype, bits));
  }
}

}  // namespace xqacheck::reference
