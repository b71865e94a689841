// The attention weights that a kernel with a recipe works with, and how far they are from those of the real inputs. No kernel
// hands its weights out: they are carried out with the recipe's own arithmetic (first product, scale, exponential, rounding
// of P), relative to the row's maximum. A running maximum puts P on other grids from tile to tile, which changes no average.
#pragma once

#include <cstdint>
#include <vector>

#include "emulation/kernels/recipe.hpp"
#include "properties/budget/observation.hpp"

namespace xqacheck::properties::budget {

// Of one (row, head).
struct WeightError {
  double score_square = 0, score_max = 0;  // error of the scores: sum of squares over visible tokens, largest
  std::uint64_t tokens = 0;
  double distance = 0;      // total-variation distance of the weights
  bool top_differs = false;  // another token is the heaviest
};

// [R][q_heads]. Decode and drafts; throws emulation::RecipeError where the recipe cannot be carried out.
std::vector<WeightError> weight_errors(const emulation::Recipe& recipe, const Observation& o, const RealCache& cache);

}  // namespace xqacheck::properties::budget
