// Rows of random numbers, the raw material of the data kinds. Position of a row: (seed, stream, token, head, beam,
// request).
#pragma once

#include <cstdint>

#include "reference/data_source.hpp"
#include "reference/philox.hpp"

namespace xqacheck::reference {

// Calls use(channel, r) with 16 random bits for each of `count` channels: one Philox block for eight channels.
template <class Use>
void for_each_random16(std::uint64_t seed, Stream stream, const RowPlace& at, std::uint32_t count, Use use) {
  // Heads take 16 bits and beams the rest of the word; the limits of reference/case_limits.hpp keep them apart.
  const std::uint32_t place = at.head | at.beam << 16;
  for (std::uint32_t first = 0; first < count; first += 8) {
    const Random4 words = draw4(seed, stream, first / 8, at.token, place, at.request);
    for (std::uint32_t i = 0; i < 8 && first + i < count; ++i) {
      use(first + i, words[i / 2] >> (i % 2 * 16) & 0xFFFFu);
    }
  }
}

// +1 or -1 for each channel: the direction that q and the special keys of a KV head share. Calls use(channel, sign).
template <class Use>
void for_each_sign(std::uint64_t seed, std::uint32_t head, std::uint32_t count, Use use) {
  for (std::uint32_t first = 0; first < count; first += 128) {
    const Random4 words = draw4(seed, Stream::direction, first / 128, head);
    for (std::uint32_t i = 0; i < 128 && first + i < count; ++i) {
      use(first + i, words[i / 32] >> (i % 32) & 1u ? -1.0f : 1.0f);
    }
  }
}

}  // namespace xqacheck::reference
