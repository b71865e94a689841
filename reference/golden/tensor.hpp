// Checked access to the tensors of a problem.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/element.hpp"

namespace xqacheck::reference {

// Address of `count` consecutive elements from element `index` on. Throws std::out_of_range naming the tensor when any
// of them lies outside it.
inline const std::byte* elements(const xqacheck_tensor& tensor, const char* name, std::int64_t index,
                                 std::uint64_t count) {
  const std::uint64_t size = bytes_of(tensor.dtype);
  const std::uint64_t held = size == 0 ? 0 : tensor.bytes / size;
  if (tensor.data == nullptr || index < 0 || count > held || static_cast<std::uint64_t>(index) > held - count) {
    throw std::out_of_range(std::string("golden: ") + name + " holds " + std::to_string(held) + " elements, [" +
                            std::to_string(index) + ", " + std::to_string(index + static_cast<std::int64_t>(count)) +
                            ") was asked for");
  }
  return static_cast<const std::byte*>(tensor.data) + static_cast<std::uint64_t>(index) * size;
}

template <class T>
T value_at(const xqacheck_tensor& tensor, const char* name, std::int64_t index) {
  T value;
  std::memcpy(&value, elements(tensor, name, index, 1), sizeof value);
  return value;
}

inline double number_at(const xqacheck_tensor& tensor, const char* name, std::int64_t index) {
  return element(elements(tensor, name, index, 1), tensor.dtype);
}

inline double value_of(const xqacheck_scale& scale) {
  return scale.pointer != nullptr ? double{*scale.pointer} : double{scale.value};
}

}  // namespace xqacheck::reference
