#include "kernels/kernel_table.hpp"

#include <fmt/core.h>

#include "kernels/description.hpp"

namespace xqacheck::kernels {

std::string kernel_fault(const xqacheck_kernel* kernel) {
  if (kernel == nullptr) return "the kernel table is NULL";
  if (kernel->abi_version != XQACHECK_ABI_VERSION)
    return fmt::format(
        "the kernel table has abi_version {}, this program needs {}; rebuild it with this version's "
        "xqacheck_kernel.h",
        kernel->abi_version, XQACHECK_ABI_VERSION);
  if (kernel->struct_bytes != sizeof(xqacheck_kernel))
    return fmt::format(
        "the kernel table has struct_bytes {}, this program needs {}; set it to sizeof(xqacheck_kernel) and "
        "rebuild with this version's xqacheck_kernel.h",
        kernel->struct_bytes, sizeof(xqacheck_kernel));
  const std::pair<const char*, bool> functions[] = {
      {"describe", kernel->describe != nullptr}, {"supports", kernel->supports != nullptr},
      {"prepare", kernel->prepare != nullptr},   {"workspace", kernel->workspace != nullptr},
      {"run", kernel->run != nullptr},           {"split_plan", kernel->split_plan != nullptr},
      {"destroy", kernel->destroy != nullptr},
  };
  for (const auto& [name, present] : functions)
    if (!present) return fmt::format("the kernel table leaves `{}` NULL; every function must be there", name);
  return description_fault(kernel->describe());
}

}  // namespace xqacheck::kernels
