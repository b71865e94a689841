// The kernels of the plug-in `faults`: every planted fault, its correct twin, and `right`, the kernel as it is.
#pragma once

#include "kernels/abi/xqacheck_kernel.h"

namespace planted {

bool add(const xqacheck_kernel* kernel);

}  // namespace planted
