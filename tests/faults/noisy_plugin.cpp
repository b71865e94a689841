// The kernels `noisy-*` as a plug-in: correct kernels that round as GPU kernels do, for false alarms of properties.
#include "kernels/noisy/noisy.h"

extern "C" XQACHECK_EXPORT const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  return abi_version == XQACHECK_ABI_VERSION ? xqacheck_noisy_kernel(index) : nullptr;
}
