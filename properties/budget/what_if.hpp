// What if: the same kernel with one decision taken otherwise. Words of a variant:
//   p_scale=256     P is scaled by this before it is rounded
//   p=16bit         P is rounded to the type of q instead of e4m3 (p=exact: not at all)
//   arch=sm_100     the accumulators of another architecture: Blackwell's have fp32 width also for e4m3
//   scales=head     K and V quantised with one scale a KV head (page: a page and head; tensor: all), amax to the format's
//                   largest number, instead of the case's
//   exact=qk,pv     steps in fp64
//   KEY=VALUE       any other parameter of the recipe (doc/recipes.md)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulation/kernels/mixed_arithmetic.hpp"
#include "properties/budget/real_cache.hpp"

namespace xqacheck::properties::budget {

enum class ScaleUnit : std::uint8_t { as_given, tensor, head, page };

struct WhatIf {
  std::string name;  // as typed
  emulation::Recipe recipe;
  ScaleUnit scales = ScaleUnit::as_given;
};

// Words separated by spaces or commas. Throws UsageError naming the word.
WhatIf parse_what_if(const emulation::Recipe& recipe, std::string_view words);

// K and V as another choice of scales stores them, in units of the case's scales: what ExactInputs take.
struct Requantised {
  std::vector<float> k, v;
};
Requantised requantised(const reference::Problem& problem, const RealCache& cache, ScaleUnit unit);

}  // namespace xqacheck::properties::budget
