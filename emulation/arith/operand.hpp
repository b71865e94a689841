// A matrix operand as the caller holds it: bit patterns, a shape, strides.
#pragma once

#include <cstddef>

#include "emulation/arith/format.hpp"

namespace xqacheck::arith {

// `vectors` rows of A or columns of B, `k` elements each (patterns of `format`: uint16_t, or uint8_t for e4m3 and s8).
// k_contiguous: element i of vector v is at [v * leading + i] (A row-major; B given as columns).
// otherwise:    element i of vector v is at [i * leading + v] (B row-major, k x columns).
struct OperandView {
  Format format = Format::f16;
  const void* bits = nullptr;
  size_t vectors = 0;
  size_t k = 0;
  size_t leading = 0;  // in elements
  bool k_contiguous = true;

  const void* element(size_t vector, size_t i) const {
    const size_t offset = k_contiguous ? vector * leading + i : i * leading + vector;
    return static_cast<const char*>(bits) + offset * static_cast<size_t>(bytes_of(format));
  }
  uint16_t pattern(size_t vector, size_t i) const {
    const void* at = element(vector, i);
    return bytes_of(format) == 1 ? *static_cast<const uint8_t*>(at) : *static_cast<const uint16_t*>(at);
  }
};

}  // namespace xqacheck::arith
