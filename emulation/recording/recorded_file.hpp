// The fields of a recording's file, with errors that name file and field.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/safetensors.hpp"

namespace xqacheck::emulation {

struct RecordingError : std::runtime_error { using std::runtime_error::runtime_error; };

class RecordedFile {
 public:
  explicit RecordedFile(const std::string& path);  // throws RecordingError

  [[noreturn]] void fail(const std::string& message) const;
  const std::string& path() const { return file_.name(); }
  const std::map<std::string, std::string>& metadata() const { return file_.metadata(); }

  // Metadata. The ones without `_or` throw when the key is missing or its text is of another kind.
  const std::string& text(const std::string& key) const;
  std::string text_or(const std::string& key, std::string_view fallback) const;
  std::int64_t integer(const std::string& key) const;
  std::uint32_t number(const std::string& key) const;
  float real(const std::string& key) const;

  // Tensors.
  const reference::FileTensor* find(const std::string& name) const { return file_.find(name); }
  const reference::FileTensor& tensor(const std::string& name) const;
  std::span<const std::byte> data(const reference::FileTensor& tensor) const {
    return {file_.data(tensor), static_cast<std::size_t>(tensor.end - tensor.begin)};
  }
  std::uint32_t abi_dtype(const reference::FileTensor& tensor) const;  // throws for dtypes that no kernel takes

 private:
  reference::Safetensors file_;
};

reference::FileDtype file_dtype(std::uint32_t abi_dtype);

}  // namespace xqacheck::emulation
