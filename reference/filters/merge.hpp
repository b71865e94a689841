// Suspect: partial results of sub-sequences merged without exp(partial maximum - maximum).
#pragma once

#include <cstdint>
#include <vector>

#include "reference/filters/context.hpp"

namespace xqacheck::reference::filters {

enum class Split : std::uint8_t {
  contiguous,
  interleaved
};  // consecutive tiles to a sub-sequence, or tile i to i % splits

// Output of a kernel that cuts every request into `splits` sub-sequences of 64-token tiles and adds up their numerators
// and denominators as they are, each relative to its own maximum; [R][q_heads][head_dim_v]. The sink is merged
// correctly.
std::vector<double> merged_unscaled(const Context& context, std::uint32_t splits, Split split);

}  // namespace xqacheck::reference::filters
