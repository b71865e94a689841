// A portable stream of random numbers that is a pure function of (seed, index): Philox 4x32-10, no libm, no
// std::*_distribution (their results differ between standard libraries).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace xqacheck::properties {

class Draws {
 public:
  // `attempt` gives a fresh stream for the same (seed, index), for draws that had to be thrown away.
  Draws(std::uint64_t seed, std::uint64_t index, std::uint32_t attempt = 0);

  std::uint32_t next();
  std::uint32_t below(std::uint32_t n);                              // uniform in [0, n), n > 0
  std::uint32_t between(std::uint32_t low, std::uint32_t high);      // uniform in [low, high]
  std::uint32_t log_between(std::uint32_t low, std::uint32_t high);  // every power of two equally likely; low >= 1
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  template <class Range>
  auto pick(const Range& range) {
    return range[below(static_cast<std::uint32_t>(std::size(range)))];
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

}  // namespace xqacheck::properties
