#include "emulation/recording/recorded_file.hpp"

#include <fmt/format.h>

#include <charconv>

namespace xqacheck::emulation {

namespace {

reference::Safetensors read(const std::string& path) {
  try {
    return reference::Safetensors::read(path);
  } catch (const reference::SafetensorsError& error) {
    throw RecordingError(error.what());
  }
}

template <class T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

RecordedFile::RecordedFile(const std::string& path) : file_(read(path)) {}

void RecordedFile::fail(const std::string& message) const { throw RecordingError(file_.name() + ": " + message); }

const std::string& RecordedFile::text(const std::string& key) const {
  const auto found = metadata().find(key);
  if (found == metadata().end()) fail("metadata has no '" + key + "'; a recording needs it (doc/recordings.md)");
  return found->second;
}

std::string RecordedFile::text_or(const std::string& key, std::string_view fallback) const {
  const auto found = metadata().find(key);
  return found == metadata().end() ? std::string(fallback) : found->second;
}

std::int64_t RecordedFile::integer(const std::string& key) const {
  std::int64_t value = 0;
  if (!parse(text(key), value)) fail(fmt::format("metadata {}: '{}' is no integer", key, text(key)));
  return value;
}

std::uint32_t RecordedFile::number(const std::string& key) const {
  const std::int64_t value = integer(key);
  if (value < 0 || value > std::int64_t{0xffffffff}) fail(fmt::format("metadata {}: {} is out of range", key, value));
  return static_cast<std::uint32_t>(value);
}

float RecordedFile::real(const std::string& key) const {
  float value = 0;
  if (!parse(text(key), value)) fail(fmt::format("metadata {}: '{}' is no number", key, text(key)));
  return value;
}

const reference::FileTensor& RecordedFile::tensor(const std::string& name) const {
  const reference::FileTensor* found = find(name);
  if (found == nullptr) fail("there is no tensor '" + name + "'; a recording needs it (doc/recordings.md)");
  return *found;
}

std::uint32_t RecordedFile::abi_dtype(const reference::FileTensor& tensor) const {
  using reference::FileDtype;
  switch (tensor.dtype) {
    case FileDtype::f32: return XQACHECK_FP32;
    case FileDtype::f16: return XQACHECK_FP16;
    case FileDtype::bf16: return XQACHECK_BF16;
    case FileDtype::f8_e4m3: return XQACHECK_E4M3;
    case FileDtype::i8: return XQACHECK_INT8;
    case FileDtype::i32: return XQACHECK_INT32;
    case FileDtype::u32: return XQACHECK_UINT32;
    default: fail(fmt::format("tensor {}: no kernel takes dtype {}", tensor.name, name_of(tensor.dtype)));
  }
}

reference::FileDtype file_dtype(std::uint32_t abi_dtype) {
  using reference::FileDtype;
  switch (abi_dtype) {
    case XQACHECK_FP16: return FileDtype::f16;
    case XQACHECK_BF16: return FileDtype::bf16;
    case XQACHECK_E4M3: return FileDtype::f8_e4m3;
    case XQACHECK_INT8: return FileDtype::i8;
    case XQACHECK_INT32: return FileDtype::i32;
    case XQACHECK_UINT32: return FileDtype::u32;
    default: return FileDtype::f32;
  }
}

}  // namespace xqacheck::emulation
