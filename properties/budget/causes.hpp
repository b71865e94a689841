// Error by cause: which rounding of a recipe takes which share of the squared error.
//
// The emulator of a recipe carries out any subset of its roundings, the others in fp64 (emulation/kernels/roundings.hpp). With
// v(S) the squared error over the squared output when the steps in S round (against the real inputs, so that v({}) = 0 and
// v(all) is the nmse of the kernel), three numbers a step:
//   alone    v({i}): what it costs by itself
//   removed  v(all) - v(all but i): what is saved when only it is made exact
//   share    its Shapley value: the mean of v(S with i) - v(S) over all orders in which steps are switched on. Shares add up
//            to v(all) whatever the interactions are; orders are sampled, each with its reverse.
// total - sum(alone) is the interaction: above 0 errors reinforce each other, below 0 they hide each other.
#pragma once

#include <string>
#include <vector>

#include "emulation/kernels/recipe.hpp"
#include "properties/budget/budget.hpp"
#include "properties/budget/statistics.hpp"
#include "properties/budget/what_if.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties::budget {

struct Cause {
  std::string step;  // emulation::kRoundingNames
  Interval share;    // over seeds, 95 %
  double alone = 0, removed = 0;  // means
};

struct CauseSplit {
  Interval total;      // nmse, over the same seeds
  std::vector<Cause> causes;
  double interaction = 0;
  // [sample][cause]: Shapley values. Samples are seeds, or the (request, KV head) pairs of tensors from a file.
  std::vector<std::vector<double>> samples;
};

struct CauseOptions {
  std::uint64_t first_seed = 1, seeds = 8;
  // Orders a seed and their reverses: the spread by orders is then below that between seeds.
  std::uint32_t orders = 2;
  int threads = 1;  // seeds at once
};

// Steps that can round at all: q only where it is quantised, partials and merges only where there are any.
std::vector<emulation::Rounding> rounding_steps(const emulation::Recipe& recipe, const xqacheck_problem& problem);

// Throws UsageError for cases without a real cache, emulation::RecipeError where the recipe cannot be carried out.
CauseSplit split_by_cause(const emulation::Recipe& recipe, const reference::RunLine& configuration,
                          const CauseOptions& options);

struct WhatIfResult {
  std::string name;
  Interval nmse;
  Interval change;  // factor - 1 of the error's norm (root of nmse), seed by seed
};

// For a budget file: shares of the total.
std::vector<StoredCause> stored_causes(const CauseSplit& split);

// The step whose share moved furthest, if the two intervals do not meet: "share of p: 24 % (22 to 26) before, now 31 % (29 to
// 33)"; "" if all meet.
std::string moved_cause(const std::vector<StoredCause>& then, const std::vector<StoredCause>& now);

// The same inputs with other arithmetic.
std::vector<WhatIfResult> try_out(const emulation::Recipe& recipe, const reference::RunLine& configuration,
                                  const std::vector<WhatIf>& variants, const CauseOptions& options);

}  // namespace xqacheck::properties::budget
