// The built-in kernels that are compiled at run time: what to compile for a problem. One line each in jit_kernels.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "kernels/jit/compile.hpp"

namespace xqacheck::kernels {

struct JitKernel {
  const char* kernel;  // as the built-in table names it
  const xqacheck_kernel* (*table)();
  jit::CompileRequest (*request)(const xqacheck_problem& problem, const std::string& arch);
};
const std::vector<JitKernel>& jit_kernels();
// Null if the kernel is not compiled at run time.
const JitKernel* find_jit_kernel(std::string_view kernel);

// What continuous integration compiles for without a GPU: A100, H100 and H200, B200, RTX Blackwell.
inline constexpr const char* kDocumentedArchitectures[] = {"sm_80", "sm_90a", "sm_100", "sm_120"};

}  // namespace xqacheck::kernels
