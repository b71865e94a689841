// Reader and writer of .safetensors files: u64 little-endian header length, JSON header, raw little-endian data.
// https://huggingface.co/docs/safetensors, format section.
//
// The reader trusts nothing: every length, offset, overlap, hole, dtype and shape is checked before anything is used,
// and the message names the tensor and the number. Nothing is executed, followed or allocated on the word of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xqacheck::reference {

enum class FileDtype : std::uint8_t { f32, f16, bf16, f8_e4m3, i64, i32, i8, u32, u8 };
std::string_view name_of(FileDtype dtype);  // as in the file: "F32", "F8_E4M3" …
std::size_t bytes_of(FileDtype dtype);

struct SafetensorsError : std::runtime_error {
  using std::runtime_error::runtime_error;  // what() starts with the file's name
};

struct FileTensor {
  std::string name;
  FileDtype dtype = FileDtype::f32;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes, relative to the data part

  std::uint64_t elements() const;
  std::string shape_text() const;  // "[4, 8, 128]"
};

class Safetensors {
 public:
  // Reads a whole file. Throws SafetensorsError.
  static Safetensors read(const std::string& path);
  // The same from memory; `name` stands for the file in messages.
  static Safetensors parse(std::vector<std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  const std::vector<FileTensor>& tensors() const { return tensors_; }  // in the order of their data
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const FileTensor* find(std::string_view tensor) const;  // nullptr if absent
  const FileTensor& get(std::string_view tensor) const;   // throws, naming those present
  // First byte of a tensor; not aligned for its dtype: copy out with memcpy.
  const std::byte* data(const FileTensor& tensor) const { return bytes_.data() + data_start_ + tensor.begin; }
  const std::vector<std::byte>& bytes() const { return bytes_; }  // the whole file

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
  std::uint64_t data_start_ = 0;
  std::vector<FileTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

// What goes into a new file: bytes must hold elements(shape) * bytes_of(dtype).
struct TensorToWrite {
  std::string name;
  FileDtype dtype = FileDtype::f32;
  std::vector<std::uint64_t> shape;
  const void* data = nullptr;
  std::uint64_t bytes = 0;
};

// Bytes of a file with these tensors in this order. Throws SafetensorsError on a repeated name or sizes that disagree.
std::vector<std::byte> safetensors_bytes(const std::vector<TensorToWrite>& tensors,
                                         const std::map<std::string, std::string>& metadata);
// Writes beside `path` and renames: the file is there whole or not at all.
void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace xqacheck::reference
