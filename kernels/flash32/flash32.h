/* The built-in host kernel `flash32`: flash-decoding in fp32 with split-KV merge. It is the readable example of the
 * ABI. */
#ifndef XQACHECK_KERNELS_FLASH32_H
#define XQACHECK_KERNELS_FLASH32_H

#include "kernels/abi/xqacheck_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

const xqacheck_kernel* xqacheck_flash32_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
