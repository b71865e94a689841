// Random cases, biased to the places where kernels break. A case is a pure function of (seed, index, profile): the same
// on any machine, thread count and shard, so that shards of a run cover each case exactly once.
#pragma once

#include <cstdint>

#include "properties/profile.hpp"
#include "reference/case.hpp"

namespace xqacheck::properties {

// Upper limits on the size of one drawn case; the defaults keep 10,000 cases within some minutes of two cores.
struct SizeLimits {
  std::uint64_t products = 3'000'000;  // rows * query heads * tokens * channels, both matrix products
  std::uint64_t elements = 400'000;    // numbers in the K and V pools
};

reference::Case draw_case(std::uint64_t seed, std::uint64_t index, const Profile& profile,
                          const SizeLimits& limits = {});

}  // namespace xqacheck::properties
