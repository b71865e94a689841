// Refuses workspace sizes that make no sense.
#pragma once

#include <string>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::properties::isolation {

// "" or what workspace() got wrong. `room` is the largest size that can be had.
std::string workspace_fault(const xqacheck_workspace& sizes, std::uint64_t room);

}  // namespace xqacheck::properties::isolation
