// A .safetensors file: little-endian u64 header length, JSON header, raw little-endian data. Read whole, checked whole: a bad
// file is refused with the field that is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xqacheck::emulation {

struct RecordingError : std::runtime_error { using std::runtime_error::runtime_error; };

struct FileTensor {
  std::string dtype;                 // BF16, F16, F32, F8_E4M3, I8, I32, U32
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> data;   // into the file's bytes
};

class SafetensorsFile {
 public:
  // Throws RecordingError: cannot be read, header is no JSON, offsets outside the file, overlapping or of the wrong size.
  static SafetensorsFile read(const std::string& path);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& text(const std::string& key) const;  // throws RecordingError naming the key
  std::string text_or(const std::string& key, std::string_view fallback) const;
  std::uint32_t number(const std::string& key) const;
  std::int64_t integer(const std::string& key) const;
  float real(const std::string& key) const;
  const FileTensor* find(const std::string& name) const;  // nullptr if absent
  const FileTensor& tensor(const std::string& name) const;
  const std::map<std::string, FileTensor>& tensors() const { return tensors_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string path_;
  std::vector<std::byte> bytes_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, FileTensor> tensors_;
};

// Bytes of one element; 0 for an unknown dtype.
std::size_t element_bytes(std::string_view dtype);

struct NamedTensor {
  std::string name;
  FileTensor tensor;
};
// Writes beside the target and renames: no half-written file is left. Throws RecordingError.
void write_safetensors(const std::string& path, const std::vector<std::pair<std::string, std::string>>& metadata,
                       const std::vector<NamedTensor>& tensors);

}  // namespace xqacheck::emulation
