#include <fmt/format.h>
#include <xxhash.h>

#include "kernels/jit/compile.hpp"

namespace xqacheck::kernels::jit {
namespace {

// Every part is preceded by its length, so that moving a byte from one part to the next changes the key.
class KeyHash {
 public:
  KeyHash() { XXH3_128bits_reset(&state_); }
  void add(const std::string& text) {
    const std::uint64_t size = text.size();
    XXH3_128bits_update(&state_, &size, sizeof size);
    XXH3_128bits_update(&state_, text.data(), text.size());
  }
  void add(std::uint64_t count) { XXH3_128bits_update(&state_, &count, sizeof count); }
  std::string hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  XXH3_state_t state_;
};

constexpr std::uint64_t kKeyVersion = 1;  // raise when the meaning of a request changes

}  // namespace

std::string key_of(const CompileRequest& request, const std::string& compiler_version) {
  KeyHash hash;
  hash.add(kKeyVersion);
  hash.add(compiler_version);
  hash.add(request.arch);
  hash.add(request.source.name);
  hash.add(request.source.text);
  hash.add(request.headers.size());
  for (const auto& header : request.headers) hash.add(header.name), hash.add(header.text);
  hash.add(request.macros.size());
  for (const auto& [name, value] : request.macros) hash.add(name), hash.add(value);
  hash.add(request.options.size());
  for (const auto& option : request.options) hash.add(option);
  return hash.hex();
}

}  // namespace xqacheck::kernels::jit
