// Carries out the recipe that a kernel declares, whatever its family.
#pragma once

#include <string_view>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::emulation {

// True for families whose arithmetic has no switches: an emulator of their own, not a Recipe.
bool has_fixed_emulator(std::string_view family);

// Writes problem.out (and problem.lse where the family has one) bit for bit as the kernel does with
// problem.forced_splits sub-sequences. Throws RecipeError when there is no emulator for the family, the recipe cannot
// be read, or the problem lies outside what the emulator is proven for.
void carry_out(const xqacheck_recipe& recipe, const xqacheck_problem& problem);

}  // namespace xqacheck::emulation
