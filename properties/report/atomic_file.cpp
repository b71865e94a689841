#include "properties/report/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "properties/errors.hpp"

namespace xqacheck::properties {
namespace fs = std::filesystem;

namespace {

// The contents must be on the disk before the name is: after a power cut the name would lead to an empty file.
bool on_disk(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool synced = ::fsync(file) == 0 || errno == EINVAL;  // EINVAL: a file system that cannot
  return ::close(file) == 0 && synced;
}

// A pipe or a device (/dev/stdout) is written to: a rename would put a file in its place.
void write_through(const std::string& path, std::string_view text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out)
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, errno ? std::strerror(errno) : "unknown error"));
}

// What a symbolic link leads to: the link stays.
fs::path behind_links(const std::string& path) {
  std::error_code no_such_file, error;
  const fs::path target = fs::is_symlink(path, no_such_file) ? fs::canonical(path, error) : fs::path(path);
  if (error) throw EnvironmentError(fmt::format("cannot write {}: {}", path, error.message()));
  return target;
}

bool is_special(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error) && !fs::is_directory(path, error);
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view text) {
  if (is_special(path)) return write_through(path, text);
  const fs::path target = behind_links(path);
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  if (fs::is_directory(target))
    throw EnvironmentError(fmt::format("cannot write {}: it is a folder; name a file", path));
  const std::string temporary = fmt::format("{}.tmp-{}", target.string(), ::getpid());
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out || !on_disk(temporary)) {
    const std::string reason = errno ? std::strerror(errno) : "unknown error";
    fs::remove(temporary, error);
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, reason));
  }
  fs::rename(temporary, target, error);
  if (error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, error.message()));
  }
}

void require_writable(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error)) {
    if (fs::is_directory(path, error))
      throw EnvironmentError(fmt::format("cannot write {}: it is a folder; name a file", path));
    if (::access(path.c_str(), W_OK) == 0) return;
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  }
  write_file_atomically(path, "");
  fs::remove(path, error);
}

std::string read_whole_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw EnvironmentError(fmt::format("cannot read {}: it is a folder; name a file", path));
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad())
    throw EnvironmentError(fmt::format("cannot read {}: {}", path, errno ? std::strerror(errno) : "unknown error"));
  return text.str();
}

}  // namespace xqacheck::properties
