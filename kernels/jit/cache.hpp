// Cache of compiled kernels: in the process, and on disk for later processes.
//
// On disk an entry is one file `<key>.xqacubin`: a header with magic, format version, key, sizes and a hash of the
// payload, then the image and the log. It is written under another name and renamed, so that a reader sees all of it or
// nothing; writers of one key take turns by a lock that the kernel drops when a writer dies. An entry that does not
// check out is compiled again and replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "kernels/jit/compile.hpp"

namespace xqacheck::kernels::jit {

struct CacheStatistics {
  std::uint64_t from_process = 0, from_disk = 0, compiled = 0, corrupt = 0;
  double compile_seconds = 0, disk_seconds = 0;
};

class KernelCache {
 public:
  // An empty directory means: no disk cache. The directory is made when the first entry is written.
  explicit KernelCache(std::filesystem::path directory);
  ~KernelCache();
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  // Throws CompileError or CompilerMissing; a disk that cannot be written only costs the cache (reported once on
  // stderr).
  std::shared_ptr<const CompiledKernel> get(const CompileRequest& request);
  CacheStatistics statistics() const;
  std::filesystem::path entry_path(const std::string& key) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// XQACHECK_CACHE_DIR, else XDG_CACHE_HOME/xqacheck, else HOME/.cache/xqacheck, else no disk cache.
std::filesystem::path default_cache_directory();

// Reads and checks one entry. False when it is absent or wrong; `corrupt` tells which.
bool read_entry(const std::filesystem::path& path, const std::string& key, CompiledKernel& kernel, bool& corrupt);
// Writes atomically. Throws std::runtime_error with path and reason.
void write_entry(const std::filesystem::path& path, const std::string& key, const CompiledKernel& kernel);

}  // namespace xqacheck::kernels::jit
