#include "kernels/abi/xqacheck_kernel.h"

/* Plug-ins built by other compilers must agree on sizes: no padding that a compiler could choose differently. */
_Static_assert(sizeof(xqacheck_tensor) == 32, "tensor");
_Static_assert(sizeof(xqacheck_scale) == 16, "scale");
_Static_assert(sizeof(xqacheck_workspace) == 24, "workspace");
_Static_assert(offsetof(xqacheck_problem, struct_bytes) == 0, "struct_bytes comes first, whatever the version");
_Static_assert(offsetof(xqacheck_kernel, abi_version) == 0, "abi_version comes first, whatever the version");
