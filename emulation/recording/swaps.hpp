// Wrong recipes: one step of the right one swapped for its neighbour. If the recordings could not tell them apart, reproducing
// the recordings would prove nothing about that step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulation/recording/recording.hpp"

namespace xqacheck::emulation {

struct Swap {
  const char* error;         // what is wrong, in words
  const char* hmma;          // parameters of the wrong recipe by family; nullptr: the step does not exist there
  const char* gmma;
};
std::span<const Swap> swaps();

// Kernel families as they are recorded: hmma, qgmma, hgmma.
inline constexpr std::size_t kRecordedFamilies = 3;
std::size_t family_index(const Recording& recording);

struct SwapResult {
  const Swap* swap = nullptr;
  std::uint32_t noticed[kRecordedFamilies] = {};  // recordings with at least one differing element
  std::uint64_t elements = 0;                     // differing elements over all recordings
};
// Every swap over all recordings. Recordings must be right under their own recipe.
std::vector<SwapResult> try_swaps(const std::vector<Recording>& recordings, int threads = 0);

}  // namespace xqacheck::emulation
