// Random signs that are the same for ever: rows of random projections, which budget files remember results of.
#pragma once

#include <cstdint>

namespace xqacheck::properties::budget {

// 64 independent signs, the bits of SplitMix64's output function (Steele, Lea, Flood 2014) of the place.
inline std::uint64_t sign_word(std::uint64_t row, std::uint64_t block) {
  std::uint64_t z = (row << 32 ^ block) + 0x9e3779b97f4a7c15u;
  for (int round = 0; round < 2; ++round) {  // twice: neighbouring places differ in one bit
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
  }
  return z;
}

}  // namespace xqacheck::properties::budget
