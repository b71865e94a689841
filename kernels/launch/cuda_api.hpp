// The CUDA driver, loaded at run time: the program starts, lists and checks host kernels on a machine without one.
#pragma once

#include <cuda.h>

#include <string>

namespace xqacheck::kernels::launch {

// Every driver function the project calls. cuda.h maps names to versioned symbols by macro; the table stringifies the
// expansion.
#define XQACHECK_CUDA_FUNCTIONS(X)                                                                                    \
  X(cuInit)                                                                                                           \
  X(cuDriverGetVersion) X(cuGetErrorString) X(cuGetErrorName) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName)   \
      X(cuDeviceGetAttribute) X(cuDeviceTotalMem) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)            \
          X(cuCtxSetCurrent) X(cuMemAlloc) X(cuMemFree) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemcpyDtoDAsync) X(cuMemsetD8Async)  \
              X(cuMemGetAllocationGranularity) X(cuMemAddressReserve) X(cuMemAddressFree) X(cuMemCreate)              \
                  X(cuMemRelease) X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess) X(cuModuleLoadDataEx) X(cuModuleUnload) \
                      X(cuModuleGetFunction) X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(cuLaunchKernelEx)          \
                          X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) X(cuStreamBeginCapture)         \
                              X(cuStreamEndCapture) X(cuGraphInstantiateWithFlags) X(cuGraphDestroy)                  \
                                  X(cuGraphExecDestroy) X(cuGraphLaunch) X(cuEventCreate) X(cuEventDestroy)           \
                                      X(cuEventRecord) X(cuEventSynchronize) X(cuEventElapsedTime)                    \
                                          X(cuTensorMapEncodeTiled)

struct CudaApi {
#define XQACHECK_DECLARE(name) decltype(&::name) name = nullptr;
  XQACHECK_CUDA_FUNCTIONS(XQACHECK_DECLARE)
#undef XQACHECK_DECLARE
};

// The loaded driver, or nullptr with the reason ("libcuda.so.1 not found", "symbol … missing: driver too old") in
// `why`.
const CudaApi* cuda_api(std::string& why);

}  // namespace xqacheck::kernels::launch
