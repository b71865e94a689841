// Lengths, capacities and windows of random cases: the part of a draw that is most biased to boundaries.
#pragma once

#include "properties/draws.hpp"
#include "properties/generate.hpp"

namespace xqacheck::properties {

// Fills lens and capacity. Shape and rows of `c` are drawn before, as they decide how long a case may be.
void draw_lengths(Draws& draws, const Profile& profile, const SizeLimits& limits, std::uint32_t requests,
                  reference::Case& c);

std::uint32_t draw_window(Draws& draws, const reference::Case& c);

}  // namespace xqacheck::properties
