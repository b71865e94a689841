#include "kernels/launch/cuda_api.hpp"

#include <dlfcn.h>

namespace xqacheck::kernels::launch {
namespace {

#define XQACHECK_STRING(text) #text
#define XQACHECK_EXPANDED(name) XQACHECK_STRING(name)

struct Loaded {
  CudaApi api;
  std::string why;
};

Loaded load() {
  Loaded result;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    result.why = "no CUDA driver: libcuda.so.1 cannot be loaded";
    return result;
  }
#define XQACHECK_RESOLVE(name)                                                                            \
  result.api.name = reinterpret_cast<decltype(result.api.name)>(dlsym(library, XQACHECK_EXPANDED(name))); \
  if (result.api.name == nullptr && result.why.empty())                                                   \
    result.why = "the CUDA driver is too old: it has no " XQACHECK_EXPANDED(name);
  XQACHECK_CUDA_FUNCTIONS(XQACHECK_RESOLVE)
#undef XQACHECK_RESOLVE
  return result;
}

}  // namespace

const CudaApi* cuda_api(std::string& why) {
  static const Loaded loaded = load();
  why = loaded.why;
  return loaded.why.empty() ? &loaded.api : nullptr;
}

}  // namespace xqacheck::kernels::launch
