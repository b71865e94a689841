// The table of kernels that are linked in.
#pragma once

#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

std::vector<const xqacheck_kernel*> table_of_builtin_kernels();

}  // namespace xqacheck::kernels
