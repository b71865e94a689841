// Portable counter-based random numbers: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011), as Random123 implements it. A number is a pure function of (seed, stream, position): no state, no order.
#pragma once

#include <array>
#include <cstdint>

#include <Random123/philox.h>

namespace xqacheck::reference {

// What a number is drawn for. Values are part of the data format: never renumber, only append.
enum class Stream : std::uint32_t {
  lengths = 1,  // from geo
  pages = 2,    // from geo
  masks = 3,    // from geo
  beams = 4,    // from geo
  q = 16,       // from seed, as all that follow
  k = 17,
  v = 18,
  direction = 19,  // the unit signs that q and k share in several data kinds
  choice = 20,     // which token, vector or channel is special
  exponent_q = 21,
  exponent_k = 22,
  exponent_v = 23,
  bias = 24,
  ties = 25,
};

using Random4 = std::array<std::uint32_t, 4>;

// Four independent uniform 32-bit words. Counter words: (a, b, c, stream * 2^24 + d), d < 2^24; key: seed.
inline Random4 draw4(std::uint64_t seed, Stream stream, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0,
                     std::uint32_t d = 0) {
  const r123::Philox4x32 philox;
  const r123::Philox4x32::ctr_type counter = {{a, b, c, static_cast<std::uint32_t>(stream) << 24 | d}};
  const r123::Philox4x32::key_type key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto drawn = philox(counter, key);
  return {drawn[0], drawn[1], drawn[2], drawn[3]};
}

// Uniform in [0, span), span in [1, 2^32], at a 64-bit position. The bias of the multiply-shift is below span / 2^64.
inline std::uint64_t draw_below(std::uint64_t seed, Stream stream, std::uint64_t position, std::uint64_t span) {
  const Random4 r =
      draw4(seed, stream, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32));
  const std::uint64_t word = std::uint64_t{r[1]} << 32 | r[0];
  // High half of the 64 x 64 bit product, in 32-bit steps (span <= 2^32 keeps every step inside 64 bits).
  const std::uint64_t high = (word >> 32) * span, low = (word & 0xFFFFFFFFu) * span;
  const std::uint64_t carry = ((high & 0xFFFFFFFFu) + (low >> 32)) >> 32;
  return (high >> 32) + carry;
}

}  // namespace xqacheck::reference
