// What the recipes declare to the error bound, and where the kernels promise to be right.
#pragma once

#include "emulation/kernels/admission.hpp"

namespace xqacheck::emulation {

// Of a kernel, whatever the type of q: P and partials are left to the safe defaults where they follow q.
xqacheck_numerics numerics_of(KernelVariant variant);
// Of one call: P and partials have the type of q.
xqacheck_numerics numerics_of(const Recipe& recipe, const xqacheck_problem& problem);
xqacheck_domain domain_of(KernelVariant variant);

}  // namespace xqacheck::emulation
