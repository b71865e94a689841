// One cache entry as a file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "kernels/jit/cache.hpp"

namespace xqacheck::kernels::jit {
namespace {

struct EntryHeader {
  char magic[8];
  std::uint64_t version;
  char key[32];
  std::uint64_t image_bytes, log_bytes;
  std::uint64_t payload_hash;  // XXH3-64 of image and log
  std::uint64_t header_hash;   // XXH3-64 of all fields above
};
constexpr char kMagic[8] = {'x', 'q', 'a', 'c', 'u', 'b', 'i', 'n'};
constexpr std::uint64_t kVersion = 1;

std::uint64_t hash_of_header(const EntryHeader& header) {
  return XXH3_64bits(&header, offsetof(EntryHeader, header_hash));
}

void write_all(int file, const void* data, std::size_t bytes, const std::string& path) {
  for (auto* p = static_cast<const char*>(data); bytes != 0;) {
    const ssize_t done = ::write(file, p, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    p += done, bytes -= static_cast<std::size_t>(done);
  }
}

}  // namespace

bool read_entry(const std::filesystem::path& path, const std::string& key, CompiledKernel& kernel, bool& corrupt) {
  corrupt = false;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return false;
  const auto size = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  corrupt = true;  // from here on, whatever stops us is damage
  EntryHeader header{};
  if (size < sizeof header || !file.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion) return false;
  if (header.header_hash != hash_of_header(header) || std::string(header.key, 32) != key) return false;
  const std::uint64_t payload = size - sizeof header;
  if (header.image_bytes > payload || header.log_bytes != payload - header.image_bytes) return false;
  std::string bytes(payload, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(payload))) return false;
  if (XXH3_64bits(bytes.data(), bytes.size()) != header.payload_hash) return false;
  kernel.image.resize(header.image_bytes);
  std::memcpy(kernel.image.data(), bytes.data(), header.image_bytes);
  kernel.log = bytes.substr(header.image_bytes);
  corrupt = false;
  return true;
}

void write_entry(const std::filesystem::path& path, const std::string& key, const CompiledKernel& kernel) {
  std::string payload(reinterpret_cast<const char*>(kernel.image.data()), kernel.image.size());
  payload += kernel.log;
  EntryHeader header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  std::memcpy(header.key, key.data(), std::min<std::size_t>(key.size(), sizeof header.key));
  header.image_bytes = kernel.image.size(), header.log_bytes = kernel.log.size();
  header.payload_hash = XXH3_64bits(payload.data(), payload.size());
  header.header_hash = hash_of_header(header);

  std::string name = path.string() + ".XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) throw std::runtime_error(fmt::format("cannot create {}: {}", name, std::strerror(errno)));
  try {
    write_all(file, &header, sizeof header, name);
    write_all(file, payload.data(), payload.size(), name);
    ::fchmod(file, 0644);
    if (::fsync(file) != 0) throw std::runtime_error(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
    ::close(file);
    if (::rename(name.c_str(), path.c_str()) != 0)
      throw std::runtime_error(fmt::format("cannot rename {} to {}: {}", name, path.string(), std::strerror(errno)));
  } catch (...) {
    ::unlink(name.c_str());
    throw;
  }
}

}  // namespace xqacheck::kernels::jit
