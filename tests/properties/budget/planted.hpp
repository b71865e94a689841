// Kernels with one planted fault, for the tests of budgets: emulators of wrong recipes, or right emulators on a problem
// that is not the one that was asked for.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "emulation/kernels/recipe.hpp"
#include "properties/budget/check.hpp"
#include "properties/campaign.hpp"

namespace xqacheck::tests {

// Carries out `view` (outputs set) in its own way.
using Planted = std::function<void(const reference::Problem& problem, const xqacheck_problem& view)>;

// Runners of a kernel that declares what emu-qgmma declares (or emu-hmma), recipe included if `with_recipe`.
properties::Runners planted_runners(const Planted& planted, bool with_recipe = false);

// Runners of a kernel that carries out a recipe and declares it.
properties::Runners runners_of(const emulation::Recipe& recipe);

Planted of_recipe(const std::string& parameters);       // emu-qgmma with other parameters (doc/recipes.md)
Planted with_score_scale(float factor);                 // q scale off by a factor
Planted with_output_scale(float factor);                // output off by a factor
Planted without_token(std::uint32_t token);             // this token of every request is left out
Planted with_merge_in_16_bit();                         // sums of the merge of splits are kept in the type of q

}  // namespace xqacheck::tests
