/* Correct host kernels that round on purpose, each in the way of some GPU kernel and each declaring it: what the error
 * bound has to hold for (doc/error-bounds.md). */
#ifndef XQACHECK_KERNELS_NOISY_H
#define XQACHECK_KERNELS_NOISY_H

#include "kernels/abi/xqacheck_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* noisy-bf16p, noisy-fp16p, noisy-e4m3p, noisy-part16, noisy-hmma, noisy-qgmma; NULL past the last. */
const xqacheck_kernel* xqacheck_noisy_kernel(uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
