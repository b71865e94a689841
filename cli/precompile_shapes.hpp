// Which shapes of a kernel the cases of a command line need: each once, with the first case that needs it.
#pragma once

#include <string>
#include <vector>

#include "cli/case_source.hpp"
#include "kernels/jit_kernels.hpp"

namespace xqacheck::cli {

struct ShapeToCompile {
  kernels::jit::CompileRequest request;
  std::string example;  // case line
  std::string text;     // "MMHA_HEAD_DIM=128 …"
};

// Cases that the kernel does not support are left out; random ones are drawn from what it supports, without a GPU.
// Throws UsageError where nothing is left.
std::vector<ShapeToCompile> shapes_of(const kernels::JitKernel& kernel, const CaseOptions& cases, const std::string& arch);

}  // namespace xqacheck::cli
