// 2^exponent as a double, exponent from -1022 to 1023. In place of ldexp, which is a call for every output element of
// every run.
#pragma once

#include <bit>
#include <cstdint>

namespace xqacheck::properties {

inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace xqacheck::properties
