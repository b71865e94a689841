/* The built-in CUDA kernel `mmha`: compiled at run time by shape, launched through the launch seam. */
#ifndef XQACHECK_KERNELS_MMHA_H
#define XQACHECK_KERNELS_MMHA_H

#include "kernels/abi/xqacheck_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

const xqacheck_kernel* xqacheck_mmha_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
