#include "tests/emulation/arith/oracle.hpp"

#include <bit>

namespace xqacheck::arith {

int compare(const Dyadic& a, const Dyadic& b) {
  if (a.m == 0 || b.m == 0) return a.m == b.m ? 0 : a.m == 0 ? -1 : 1;
  const int top_a = 63 - std::countl_zero(a.m) + a.e;
  const int top_b = 63 - std::countl_zero(b.m) + b.e;
  if (top_a != top_b) return top_a < top_b ? -1 : 1;
  // Leading bits aligned at bit 63: the rest compares as integers.
  const uint64_t x = a.m << std::countl_zero(a.m);
  const uint64_t y = b.m << std::countl_zero(b.m);
  return x == y ? 0 : x < y ? -1 : 1;
}

Dyadic magnitude_of_f32(uint32_t bits) {
  const auto field = static_cast<int>(bits >> 23 & 0xff);
  const uint64_t fraction = bits & 0x7fffff;
  return field == 0 ? Dyadic{fraction, -149} : Dyadic{fraction | 0x800000, field - 150};
}

NearestOracle::NearestOracle(const FloatFormat& format) {
  // e4m3 uses its top exponent for numbers, all but the last pattern; the others keep it for infinity and NaN.
  const uint32_t largest = format.has_infinity ? format.infinity() - 1 : format.magnitude_mask() - 1;
  const auto value = [&](uint32_t pattern) {
    const uint64_t fraction = pattern & ((1u << format.mantissa_bits) - 1);
    const auto field = static_cast<int>(pattern >> format.mantissa_bits);
    const uint64_t hidden = field == 0 ? 0 : uint64_t{1} << format.mantissa_bits;
    return Dyadic{fraction | hidden, (field == 0 ? 1 : field) - format.bias - format.mantissa_bits};
  };
  for (uint32_t i = 0; i <= largest; ++i) {
    // Neighbours differ by one unit of the lower one, also across a power of two and at the top.
    const Dyadic low = value(i);
    midpoints_.push_back({2 * low.m + 1, low.e - 1});
  }
}

bool NearestOracle::rounds_above(uint32_t pattern, const Dyadic& x) const {
  const int order = compare(x, midpoints_[pattern]);
  return order > 0 || (order == 0 && pattern % 2 == 1);
}

uint32_t NearestOracle::nearest(const Dyadic& x) const {
  uint32_t low = 0;
  uint32_t high = overflow_pattern();
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (rounds_above(middle, x)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint32_t NearestOracle::nearest_from(uint32_t from, const Dyadic& x) const {
  while (from < overflow_pattern() && rounds_above(from, x)) ++from;
  return from;
}

}  // namespace xqacheck::arith
