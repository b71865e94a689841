// Checks of the function table that a kernel hands over, before any of its functions but describe() is called.
#pragma once

#include <string>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

// One sentence with what was found, what is needed and the fix; "" if the table and its description are in order.
// Reads `abi_version` and `struct_bytes` before anything else: the rest of a foreign table may lie outside its object.
std::string kernel_fault(const xqacheck_kernel* kernel);

}  // namespace xqacheck::kernels
