// The built-in kernels by name. A new one is one line in kernels/builtin.cpp; rooms above kernels/ (emulated recipes as
// kernels) add theirs with add_builtin_kernel() when the program starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

// In the order of the table, added ones last.
const std::vector<const xqacheck_kernel*>& builtin_kernels();
// Null if there is none of that name.
const xqacheck_kernel* find_builtin_kernel(std::string_view name);
// Not thread-safe: call it before any worker or runner exists. Throws std::logic_error for a duplicate or faulty
// kernel.
void add_builtin_kernel(const xqacheck_kernel* kernel);

std::vector<std::string> builtin_kernel_names();
// The built-in name closest to `name`, or "" if none is near.
std::string nearest_builtin_name(std::string_view name);

}  // namespace xqacheck::kernels
