// bits: every output element is that of the declared recipe carried out on the CPU. The tolerance is zero.
#include <fmt/format.h>

#include <string_view>

#include "emulation/kernels/carry_out.hpp"
#include "emulation/kernels/recipe.hpp"
#include "properties/checks/identical.hpp"

namespace xqacheck::properties {
namespace {

Verdict check(Trial& trial) {
  const xqacheck_recipe* recipe = trial.kernel().recipe;
  if (recipe == nullptr) return unsupported("the kernel declares no recipe");
  if (std::string_view(trial.kernel().name).starts_with("emu-"))
    return unsupported("the kernel is itself the emulation of its recipe");
  const Outcome& plain = trial.plain_run();
  if (!is_judgeable(plain)) return verdict_of_broken_run(plain, "");
  Outcome emulated = plain;
  xqacheck_problem problem =
      trial.problem().view(emulated.out.data(), emulated.lse.empty() ? nullptr : emulated.lse.data());
  problem.forced_splits = plain.route.splits;
  try {
    emulation::carry_out(*recipe, problem);
  } catch (const emulation::RecipeError& error) {
    return unsupported(fmt::format("the recipe cannot be carried out: {}", error.what()));
  }
  const auto difference = first_difference(trial.view(), emulated, plain);
  if (!difference) {
    Verdict verdict = passed();
    verdict.elements = std::uint64_t{problem.total_rows} * problem.q_heads * problem.head_dim_v;
    return verdict;
  }
  Verdict verdict = failed(difference->in_lse ? "other LSE bits" : "other bits", "");
  verdict.message =
      fmt::format("{} of {} {} differ from the emulated recipe {} on {}", difference->differing, difference->elements,
                  difference->in_lse ? "LSE values" : "output elements", recipe->family, recipe->arch);
  verdict.elements = difference->elements;
  verdict.bad_elements = difference->differing;
  verdict.evidence = {difference->first};
  return verdict;
}

}  // namespace

extern const Property bits_property;
const Property bits_property = {"bits", "identical to the declared recipe carried out on the CPU", check};

}  // namespace xqacheck::properties
