// Admission: which problems the kernel takes, and the reason when it does not.
#pragma once

#include <cstddef>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels::flash32 {

// Looks at sizes, strides, dtypes and flags only. `why` names the field and the limit.
xqacheck_status supports(const xqacheck_problem& problem, char* why, std::size_t why_bytes);

}  // namespace xqacheck::kernels::flash32
