#include "emulation/kernels/emulated_kernels.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>

#include "emulation/kernels/admission.hpp"
#include "emulation/kernels/emulate.hpp"
#include "emulation/kernels/numerics.hpp"
#include "kernels/abi/xqacheck_contradiction.h"

namespace xqacheck::emulation {

namespace {

const Recipe& recipe_of(KernelVariant variant) {
  static const Recipe hmma = hmma_recipe(), gmma = gmma_recipe();
  return variant == KernelVariant::hmma ? hmma : gmma;
}

xqacheck_status say(xqacheck_status status, std::string_view text, char* why, size_t why_bytes) {
  if (why != nullptr && why_bytes > 0) {
    const size_t count = std::min(text.size(), why_bytes - 1);
    std::memcpy(why, text.data(), count);
    why[count] = '\0';
  }
  return status;
}

constexpr xqacheck_recipe kRecipes[] = {{"hmma", "sm_90", "13.0", ""}, {"gmma", "sm_90", "13.0", ""}, {"gmma", "sm_90", "13.0", ""}};
constexpr const char* kNames[] = {"emu-hmma", "emu-qgmma", "emu-hgmma"};

template <KernelVariant kVariant>
struct EmulatedKernel {
  static constexpr int kIndex = static_cast<int>(kVariant);

  static const xqacheck_description* describe() {
    static const xqacheck_description description = [] {
      xqacheck_description d{};
      d.name = kNames[kIndex];
      d.version = "1";
      d.memory = XQACHECK_HOST;
      d.deterministic = 1;
      d.rows_independent = kVariant == KernelVariant::hmma ? 0 : 1;  // the rows of a block decide together on a rescale
      d.split_invariant_company = 1;
      d.numerics = numerics_of(kVariant);
      d.domain = domain_of(kVariant);
      d.recipe = &kRecipes[kIndex];
      return d;
    }();
    return &description;
  }

  static xqacheck_status supports(const xqacheck_problem* problem, char* why, size_t why_bytes) {
    const Admission answer = admit(kVariant, recipe_of(kVariant), *problem);
    if (answer.status == XQACHECK_OK) {
      if (const char* fault = xqacheck_contradiction(problem); fault != nullptr)
        return say(XQACHECK_INVALID, fault, why, why_bytes);
    }
    return say(answer.status, answer.why, why, why_bytes);
  }

  static xqacheck_status prepare(const xqacheck_problem* problem, xqacheck_instance** instance, char* why, size_t why_bytes) {
    *instance = nullptr;  // nothing to keep: all that a run needs is in the problem
    return supports(problem, why, why_bytes);
  }

  static xqacheck_status workspace(xqacheck_instance*, const xqacheck_problem* problem, xqacheck_workspace* sizes) {
    const ScratchLayout layout = scratch_layout(recipe_of(kVariant), *problem);
    *sizes = {};
    sizes->scratch_bytes = layout.bytes;
    sizes->scratch_align = 16;
    if (layout.splits > 1) sizes->state_bytes = sizeof(std::uint32_t) * layout.blocks;
    sizes->state_align = alignof(std::uint32_t);
    return XQACHECK_OK;
  }

  static xqacheck_status run(xqacheck_instance*, const xqacheck_problem* problem, const xqacheck_launch* launch) {
    try {
      emulate(recipe_of(kVariant), *problem, static_cast<std::byte*>(launch->scratch), static_cast<std::uint32_t*>(launch->state));
      return XQACHECK_OK;
    } catch (const std::exception&) {
      return XQACHECK_ERROR;  // out of memory
    }
  }

  static std::uint32_t plan(const xqacheck_problem* problem) { return split_plan(recipe_of(kVariant), *problem); }
  static void destroy(xqacheck_instance*) {}

  static const xqacheck_kernel* table() {
    static const xqacheck_kernel kernel = {XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe, supports, prepare, workspace,
                                           run, plan, destroy};
    return &kernel;
  }
};

}  // namespace

}  // namespace xqacheck::emulation

extern "C" {
using xqacheck::emulation::EmulatedKernel;
using xqacheck::emulation::KernelVariant;
const xqacheck_kernel* xqacheck_emu_hmma_kernel(void) { return EmulatedKernel<KernelVariant::hmma>::table(); }
const xqacheck_kernel* xqacheck_emu_qgmma_kernel(void) { return EmulatedKernel<KernelVariant::qgmma>::table(); }
const xqacheck_kernel* xqacheck_emu_hgmma_kernel(void) { return EmulatedKernel<KernelVariant::hgmma>::table(); }
}
