#include "emulation/kernels/carry_out.hpp"

#include <fmt/format.h>

#include <string_view>

#include "emulation/kernels/admission.hpp"
#include "emulation/kernels/emulate.hpp"
#include "emulation/kernels/mmha/mmha.h"

namespace xqacheck::emulation {
namespace {

std::string_view text(const char* string) {
  return string != nullptr ? string : "";
}

void carry_out_mmha(const xqacheck_problem& problem) {
  const xqacheck_kernel& kernel = *xqacheck_emu_mmha_kernel();
  char why[512] = "";
  xqacheck_instance* instance = nullptr;
  if (kernel.prepare(&problem, &instance, why, sizeof why) != XQACHECK_OK) throw RecipeError(why);
  const xqacheck_launch launch{};
  const xqacheck_status status = kernel.run(instance, &problem, &launch);
  kernel.destroy(instance);
  if (status != XQACHECK_OK) throw RecipeError("mmha: the emulator reports an error");
}

}  // namespace

bool has_fixed_emulator(std::string_view family) {
  return family == "mmha";
}

void carry_out(const xqacheck_recipe& recipe, const xqacheck_problem& problem) {
  const std::string_view family = text(recipe.family);
  if (family == "mmha") return carry_out_mmha(problem);
  const Recipe parsed = parse_recipe(family, text(recipe.arch), text(recipe.toolkit), text(recipe.parameters));
  if (const Evidence evidence = evidence_of(parsed, problem); !evidence.proven) throw RecipeError(evidence.why);
  emulate(parsed, problem);
}

}  // namespace xqacheck::emulation
