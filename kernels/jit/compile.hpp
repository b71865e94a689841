// Run-time compilation of kernel sources by shape. A request is everything that can change the machine code; its key
// hashes all of it, so that a cached binary can never be taken for another (the public cubin registry once keyed too
// little: fault class CACHE_KEY).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace xqacheck::kernels::jit {

struct SourceFile {
  std::string name;  // as it is included, or the name in messages
  std::string text;
};

struct CompileRequest {
  SourceFile source;
  std::vector<SourceFile> headers;
  std::vector<std::pair<std::string, std::string>> macros;  // -Dname=value
  std::string arch;                                         // "sm_90a"; "compute_90a": PTX instead of a cubin
  std::vector<std::string> options;                         // further compiler options
};

struct CompiledKernel {
  std::vector<std::byte> image;  // cubin, or PTX and a zero byte
  std::string log;               // compiler and ptxas output (registers, spills)
};

// The source did not compile: what() holds name, architecture, macros and the compiler's log.
class CompileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// There is no compiler to ask: no libnvrtc, or one that does not know the architecture.
class CompilerMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// 32 hex digits (XXH3, 128 bits) over sources, headers, macros, architecture, options and the compiler's version.
std::string key_of(const CompileRequest& request, const std::string& compiler_version);

// "nvrtc 13.0" of the library that is loaded, the same one for the whole process. Throws CompilerMissing.
std::string compiler_version();
// Compiles in this process. Throws CompileError or CompilerMissing.
CompiledKernel compile(const CompileRequest& request);

// What ptxas said about one kernel (its -v output).
struct ResourceUse {
  std::string kernel;
  std::uint32_t registers = 0, spill_stores = 0, spill_loads = 0, stack_bytes = 0, shared_bytes = 0;
};
std::vector<ResourceUse> resources_from_log(const std::string& log);

}  // namespace xqacheck::kernels::jit
