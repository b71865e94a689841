/* Host kernel `emu-mmha`: the recipe "mmha" of kernels/mmha carried out on the CPU, bit for bit. */
#ifndef XQACHECK_EMULATION_MMHA_H
#define XQACHECK_EMULATION_MMHA_H

#include "kernels/abi/xqacheck_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

const xqacheck_kernel* xqacheck_emu_mmha_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
