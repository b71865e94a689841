#include "kernels/jit/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include "kernels/jit/prebuilt.hpp"
#include "kernels/jit/used.hpp"

namespace xqacheck::kernels::jit {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Exclusive lock of one key across processes; released by the kernel when the process dies. A lock that cannot be had
// is no error: then two processes compile the same thing and the second rename wins.
class KeyLock {
 public:
  explicit KeyLock(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ >= 0)
      while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
      }
  }
  ~KeyLock() {
    if (file_ >= 0) ::close(file_);
  }
  KeyLock(const KeyLock&) = delete;
  KeyLock& operator=(const KeyLock&) = delete;

 private:
  int file_;
};

}  // namespace

struct KernelCache::State {
  std::filesystem::path directory;
  std::map<std::string, std::shared_ptr<const CompiledKernel>> loaded;
  CacheStatistics statistics;
  std::mutex mutex;
  bool warned = false;

  void warn(const std::string& what) {
    if (!warned) fmt::print(stderr, "xqacheck: kernel cache off for this run: {}\n", what);
    warned = true;
  }

  bool from_disk(const std::filesystem::path& path, const std::string& key, CompiledKernel& kernel) {
    const auto begin = Clock::now();
    bool corrupt = false;
    const bool good = read_entry(path, key, kernel, corrupt);
    statistics.disk_seconds += seconds_since(begin);
    statistics.corrupt += corrupt;
    statistics.from_disk += good;
    return good;
  }

  CompiledKernel compile_counted(const CompileRequest& request) {
    const auto begin = Clock::now();
    CompiledKernel kernel = compile(request);
    statistics.compile_seconds += seconds_since(begin);
    ++statistics.compiled;
    return kernel;
  }
};

KernelCache::KernelCache(std::filesystem::path directory) : state_(std::make_unique<State>()) {
  state_->directory = std::move(directory);
}
KernelCache::~KernelCache() = default;

CacheStatistics KernelCache::statistics() const {
  std::lock_guard lock(state_->mutex);
  return state_->statistics;
}

std::filesystem::path KernelCache::entry_path(const std::string& key) const {
  return state_->directory / (key + ".xqacubin");
}

std::shared_ptr<const CompiledKernel> KernelCache::get(const CompileRequest& request) {
  if (auto prebuilt = find_prebuilt(request)) {
    note_used(key_of_prebuilt(request));
    return prebuilt;
  }
  const std::string key = key_of(request, compiler_version());
  note_used(key);
  std::lock_guard lock(state_->mutex);
  if (const auto found = state_->loaded.find(key); found != state_->loaded.end()) {
    ++state_->statistics.from_process;
    return found->second;
  }
  auto kernel = std::make_shared<CompiledKernel>();
  std::error_code error;
  const auto& directory = state_->directory;
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (directory.empty() || error) {
    if (error) state_->warn(fmt::format("cannot make {}: {}", directory.string(), error.message()));
    *kernel = state_->compile_counted(request);
  } else if (const auto path = entry_path(key); !state_->from_disk(path, key, *kernel)) {
    const KeyLock key_lock(directory / (key + ".lock"));
    if (!state_->from_disk(path, key, *kernel)) {  // another process may have been faster
      *kernel = state_->compile_counted(request);
      try {
        write_entry(path, key, *kernel);
      } catch (const std::runtime_error& problem) {
        state_->warn(problem.what());
      }
    }
  }
  state_->loaded.emplace(key, kernel);
  return kernel;
}

std::filesystem::path default_cache_directory() {
  const auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text != nullptr ? text : "";
  };
  if (const auto path = value("XQACHECK_CACHE_DIR"); !path.empty()) return path;
  if (const auto path = value("XDG_CACHE_HOME"); !path.empty()) return std::filesystem::path(path) / "xqacheck";
  if (const auto path = value("HOME"); !path.empty()) return std::filesystem::path(path) / ".cache" / "xqacheck";
  return {};
}

}  // namespace xqacheck::kernels::jit
