// A problem as an engine would see it before it has chosen a kernel.
#pragma once

#include <cstdint>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/host/admission.hpp"

namespace xqacheck::kernels {

// Rows of the article's table that no problem can say (cross attention, ALiBi …) keep their defaults. The history is
// the capacity, all that a host knows of device-side lengths, less the rows of this call. `sm` is the compute capability
// times ten.
AttentionCall call_of(const xqacheck_problem& problem, std::uint32_t sm);

}  // namespace xqacheck::kernels
