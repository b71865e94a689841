/* Host kernels `emu-hmma`, `emu-qgmma` and `emu-hgmma`: the recipes of the public XQA kernels carried out on the CPU, bit for
 * bit, behind the kernel ABI, with the domains and the limits of the kernels themselves. */
#ifndef XQACHECK_EMULATION_EMULATED_KERNELS_H
#define XQACHECK_EMULATION_EMULATED_KERNELS_H

#include "kernels/abi/xqacheck_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

const xqacheck_kernel* xqacheck_emu_hmma_kernel(void);
const xqacheck_kernel* xqacheck_emu_qgmma_kernel(void);
const xqacheck_kernel* xqacheck_emu_hgmma_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
