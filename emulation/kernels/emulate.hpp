// A whole call of a kernel on the CPU: every thread block, split counters, the merge by the block that arrives last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulation/kernels/geometry.hpp"
#include "emulation/kernels/mixed_arithmetic.hpp"
#include "emulation/kernels/recipe.hpp"

namespace xqacheck::emulation {

struct EmulateOptions {
  int threads = 0;  // 0: all; the result does not depend on it
};

// Carries out `recipe` on `problem` (host pointers) and writes problem.out, bit for bit as the kernel does. `scratch` holds
// scratch_layout().bytes of any content, `semaphores` one word for every block, zero before the first call; both may be null
// where one split runs. Requires recipe.roundings.all(). Throws RecipeError when the recipe cannot be carried out.
void emulate(const Recipe& recipe, const xqacheck_problem& problem, std::byte* scratch, std::uint32_t* semaphores,
             const EmulateOptions& options = {});

// The same with scratch and semaphores of its own; returns the semaphores after the call.
std::vector<std::uint32_t> emulate(const Recipe& recipe, const xqacheck_problem& problem, const EmulateOptions& options = {});

// With any set of roundings: the output as numbers, [total_rows][q_heads][head_dim] dense. problem.out.data is not touched.
std::vector<double> emulate_values(const Recipe& recipe, const xqacheck_problem& problem, const ExactInputs& exact = {},
                                   const EmulateOptions& options = {});

// Throws RecipeError when the recipe cannot be carried out on this problem: no such matrix instruction.
void check_recipe(const Recipe& recipe, const xqacheck_problem& problem);

// Semaphores of a launch: one for every block.
std::uint32_t semaphore_count(const Recipe& recipe, const xqacheck_problem& problem);

}  // namespace xqacheck::emulation
