// Kernels compiled to PTX beforehand, for machines without NVRTC (tests on the PTX machine in CI). A folder of files
// `<key>.ptx`, the key being that of the request without the compiler's version: a changed source never finds an old
// file. Who names a folder wants what is in it: the compiler is asked only for what is not there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "kernels/jit/compile.hpp"

namespace xqacheck::kernels::jit {

// The request's key, and the file name in the folder.
std::string key_of_prebuilt(const CompileRequest& request);
std::string prebuilt_name(const CompileRequest& request);
// The kernel from the folder that XQACHECK_PREBUILT_PTX names; null when the request is not for PTX, the variable is
// not set, or the folder has no such file.
std::shared_ptr<const CompiledKernel> find_prebuilt(const CompileRequest& request);
// Writes the compiled kernel as a prebuilt file whose head says source hash, toolkit and options. Throws
// std::runtime_error when the file cannot be written.
void write_prebuilt(const std::filesystem::path& folder, const CompileRequest& request, const CompiledKernel& kernel);

}  // namespace xqacheck::kernels::jit
