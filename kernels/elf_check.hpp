// What can be said about a shared object without running any of it.
#pragma once

#include <string>

namespace xqacheck::kernels {

// One sentence with what was found and the fix, or "" if the file is a shared object for this machine.
std::string shared_object_fault(const std::string& path);

}  // namespace xqacheck::kernels
