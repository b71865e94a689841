#include "tests/faults/planted_kernels.hpp"

#include <vector>

namespace planted {
namespace {

std::vector<const xqacheck_kernel*>& kernels() {
  static std::vector<const xqacheck_kernel*> all;
  return all;
}

}  // namespace

bool add(const xqacheck_kernel* kernel) {
  kernels().push_back(kernel);
  return true;
}

}  // namespace planted

extern "C" XQACHECK_EXPORT const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  return abi_version == XQACHECK_ABI_VERSION && index < planted::kernels().size() ? planted::kernels()[index] : nullptr;
}
