#include "reference/safetensors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/case_error.hpp"
#include "reference/safetensors_header.hpp"

namespace xqacheck::reference {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;           // the format's own limit
constexpr std::uint64_t kMaxFile = std::uint64_t{1} << 36;  // 64 GiB: more than any machine that runs the tests holds
constexpr std::size_t kLengthBytes = 8;

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw SafetensorsError(printable(name) + ": " + problem);
}

// Elements of a shape, or nothing if the product overflows.
bool product(const std::vector<std::uint64_t>& shape, std::uint64_t& elements) {
  elements = 1;
  for (std::uint64_t n : shape) {
    if (__builtin_mul_overflow(elements, n, &elements)) return false;
  }
  return true;
}

void check_tensor(const std::string& name, const FileTensor& t, std::uint64_t data_bytes) {
  const std::string shown = printable(t.name);
  if (t.begin > t.end) fail(name, fmt::format("tensor '{}' ends at {} before it begins at {}", shown, t.end, t.begin));
  if (t.end > data_bytes)
    fail(name, fmt::format("tensor '{}' ends at {}, the data has {} bytes", shown, t.end, data_bytes));
  std::uint64_t elements = 0, bytes = 0;
  if (!product(t.shape, elements) || __builtin_mul_overflow(elements, bytes_of(t.dtype), &bytes)) {
    fail(name, fmt::format("tensor '{}' has shape {}, whose size overflows", shown, t.shape_text()));
  }
  if (bytes != t.end - t.begin) {
    fail(name, fmt::format("tensor '{}' of shape {} and dtype {} needs {} bytes, data_offsets give {}", shown,
                           t.shape_text(), name_of(t.dtype), bytes, t.end - t.begin));
  }
}

// Sorted by their data, the tensors must follow each other without overlap or hole.
void check_cover(const std::string& name, const std::vector<FileTensor>& tensors, std::uint64_t data_bytes) {
  std::uint64_t at = 0;
  for (const FileTensor& t : tensors) {
    if (t.begin < at)
      fail(name, fmt::format("tensor '{}' at {} overlaps the one that ends at {}", printable(t.name), t.begin, at));
    if (t.begin > at) fail(name, fmt::format("bytes {} to {} of the data belong to no tensor", at, t.begin));
    at = t.end;
  }
  if (at != data_bytes) fail(name, fmt::format("bytes {} to {} of the data belong to no tensor", at, data_bytes));
}

std::vector<std::byte> read_bytes(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) fail(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  if (std::fseek(file.get(), 0, SEEK_END) != 0) fail(path, "is no regular file");
  const long size = std::ftell(file.get());
  // A folder opens and reports the largest possible size.
  if (size < 0 || static_cast<std::uint64_t>(size) > kMaxFile) fail(path, "is no regular file of at most 64 GiB");
  std::rewind(file.get());
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(path, "cannot be read to its end");
  return bytes;
}

}  // namespace

std::uint64_t FileTensor::elements() const {
  std::uint64_t n = 0;
  return product(shape, n) ? n : 0;
}

std::string FileTensor::shape_text() const {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Safetensors Safetensors::read(const std::string& path) {
  return parse(read_bytes(path), path);
}

Safetensors Safetensors::parse(std::vector<std::byte> bytes, std::string name) {
  if (bytes.size() < kLengthBytes) fail(name, fmt::format("has {} bytes: too short for a header length", bytes.size()));
  std::uint64_t header_bytes = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) header_bytes |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  if (header_bytes > kMaxHeader) {
    fail(name, fmt::format("the header length is {}, at most {} are allowed", header_bytes, kMaxHeader));
  }
  if (header_bytes > bytes.size() - kLengthBytes) {
    fail(name, fmt::format("the header length is {}, the file has {} bytes behind it", header_bytes,
                           bytes.size() - kLengthBytes));
  }
  const std::string_view json(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, header_bytes);
  SafetensorsHeader header = parse_safetensors_header(json, printable(name));

  Safetensors file;
  file.name_ = std::move(name);
  file.data_start_ = kLengthBytes + header_bytes;
  file.tensors_ = std::move(header.tensors);
  file.metadata_ = std::move(header.metadata);
  const std::uint64_t data_bytes = bytes.size() - file.data_start_;
  for (const FileTensor& t : file.tensors_) check_tensor(file.name_, t, data_bytes);
  std::stable_sort(file.tensors_.begin(), file.tensors_.end(), [](const FileTensor& a, const FileTensor& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  check_cover(file.name_, file.tensors_, data_bytes);
  file.bytes_ = std::move(bytes);
  return file;
}

const FileTensor* Safetensors::find(std::string_view tensor) const {
  for (const FileTensor& t : tensors_) {
    if (t.name == tensor) return &t;
  }
  return nullptr;
}

const FileTensor& Safetensors::get(std::string_view tensor) const {
  const FileTensor* found = find(tensor);
  if (found != nullptr) return *found;
  std::string present;
  for (const FileTensor& t : tensors_) present += (present.empty() ? "" : " ") + t.name;
  fail(name_, fmt::format("has no tensor '{}'; it has {}", tensor, present.empty() ? "none" : printable(present)));
}

}  // namespace xqacheck::reference
