#include "properties/draws.hpp"

#include <Random123/philox.h>

#include <bit>

namespace xqacheck::properties {

Draws::Draws(std::uint64_t seed, std::uint64_t index, std::uint32_t attempt)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, attempt, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32)} {}

std::uint32_t Draws::next() {
  if (used_ == 4) {
    const r123::Philox4x32 philox;
    const auto block = philox({{counter_[0], counter_[1], counter_[2], counter_[3]}}, {{key_[0], key_[1]}});
    for (unsigned i = 0; i < 4; ++i) block_[i] = block[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint32_t Draws::below(std::uint32_t n) {
  // Multiply and shift: the bias of at most n / 2^32 does not matter for choosing cases.
  return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32);
}

std::uint32_t Draws::between(std::uint32_t low, std::uint32_t high) {
  return high <= low ? low : low + below(high - low + 1);
}

std::uint32_t Draws::log_between(std::uint32_t low, std::uint32_t high) {
  if (high <= low) return low;
  const auto first = static_cast<std::uint32_t>(std::bit_width(low) - 1);
  const auto last = static_cast<std::uint32_t>(std::bit_width(high) - 1);
  const std::uint32_t octave = between(first, last);
  const std::uint32_t from = octave == first ? low : 1u << octave;
  const std::uint32_t to = octave == last ? high : (2u << octave) - 1;
  return between(from, to);
}

}  // namespace xqacheck::properties
