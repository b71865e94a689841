#include "kernels/jit_kernels.hpp"

#include "kernels/mmha/mmha.h"
#include "kernels/mmha/source.hpp"

namespace xqacheck::kernels {

const std::vector<JitKernel>& jit_kernels() {
  static const std::vector<JitKernel> kernels = {
      {"mmha", xqacheck_mmha_kernel,
       [](const xqacheck_problem& problem, const std::string& arch) {
         return mmha::compile_request(mmha::shape_of(problem), arch);
       }},
  };
  return kernels;
}

const JitKernel* find_jit_kernel(std::string_view kernel) {
  for (const JitKernel& each : jit_kernels())
    if (kernel == each.kernel) return &each;
  return nullptr;
}

}  // namespace xqacheck::kernels
