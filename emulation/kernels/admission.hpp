// Where the emulated kernels promise to be right, and how sure we are that an emulation is the kernel.
#pragma once

#include <string>

#include "emulation/kernels/recipe.hpp"
#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::emulation {

// The three kernels that are recorded. QGMMA and HGMMA share a recipe; they differ in the cache that they take.
enum class KernelVariant : std::uint8_t { hmma, qgmma, hgmma };

// OK, or why not: what the public kernel does not take, and what it takes but answers wrongly. Looks at sizes, strides,
// types and flags only, never at the contents of tensors.
struct Admission {
  xqacheck_status status = XQACHECK_OK;
  std::string why;
};
Admission admit(KernelVariant variant, const Recipe& recipe, const xqacheck_problem& problem);

// Proven: runs of this combination were recorded on a GPU and reproduced bit for bit. Believed: by the kernel's source or the
// article only, or not emulated at all; the `bits` property must not judge by it. `why` names what is not proven. Parameters that
// differ from the public kernels' are the claim of whoever declares them: they do not matter here.
struct Evidence {
  bool proven = true;
  std::string why;
};
Evidence evidence_of(const Recipe& recipe, const xqacheck_problem& problem);

}  // namespace xqacheck::emulation
