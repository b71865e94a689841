// Replays a recording: carries out its recipe and compares with what the kernel wrote, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulation/kernels/recipe.hpp"
#include "emulation/recording/recording.hpp"

namespace xqacheck::emulation {

struct Difference {
  std::uint32_t request = 0, row = 0, head = 0, dim = 0;  // row: query row within the request
  std::uint32_t recorded = 0, emulated = 0;               // bit patterns
  std::int64_t ulps = 0;                                  // steps of the output format between them
};

struct Replay {
  std::uint64_t elements = 0, differing = 0;
  std::optional<Difference> first;
  std::int64_t most_ulps = 0;      // 0 where only hashes could be compared
  std::uint64_t lse_values = 0, lse_differing = 0;  // 0 where no LSE was recorded
  bool semaphores_equal = true;    // true where none were recorded
  std::uint32_t own_plan = 0;      // splits that the recipe's own plan would take; the recorded count is carried out
  double seconds = 0;              // of the emulation

  bool equal() const { return differing == 0 && lse_differing == 0 && semaphores_equal; }
};

// Carries out the recipe that the recorded kernel declared. Throws RecordingError when there is none that can be
// emulated, RecipeError when it cannot be carried out on this problem.
Replay replay(const Recording& recording, int threads = 0);
// With another recipe than the recorded one.
Replay replay_with(const Recipe& recipe, const Recording& recording, int threads = 0);

// Elements of two outputs of the problem, in the order [row][head][dim].
Replay compare_outputs(const xqacheck_problem& problem, const std::byte* recorded, const std::byte* emulated);

// Steps of the format between two bit patterns: 0 for +0 and -0 are 1 apart, NaN patterns count by their bits.
std::int64_t ulps_between(std::uint32_t dtype, std::uint32_t a, std::uint32_t b);
double value_of_bits(std::uint32_t dtype, std::uint32_t bits);

}  // namespace xqacheck::emulation
