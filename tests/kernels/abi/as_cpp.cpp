#include "kernels/abi/xqacheck_kernel.h"

static_assert(XQACHECK_ABI_VERSION == 1, "doc/abi.md describes version 1");
