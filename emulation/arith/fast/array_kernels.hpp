// Array operations by number, so that one dispatched function covers a family. Operands that are one value for all
// elements are given as pointer to a vector-sized constant by array.cpp's callers: see Operand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulation/arith/format.hpp"

namespace xqacheck::arith::fast {

// An array, or one value for every element.
template <class T>
struct Source {
  const T* array = nullptr;  // null: `value`
  T value = 0;
};

enum class F32Op : uint8_t { fma_ftz, mul_ftz, add_ftz, sub_ftz, max_ftz };
void f32_array(F32Op op, Source<uint32_t> a, Source<uint32_t> b, Source<uint32_t> c, uint32_t* out, size_t n);
uint32_t f32_max_reduce(uint32_t start, const uint32_t* a, size_t n);

enum class MufuOp : uint8_t { ex2, rcp, rsqrt, sqrt, lg2 };
void mufu_array(MufuOp op, const uint32_t* x, uint32_t* out, size_t n);

enum class HalfOp : uint8_t { mul, add };
void half_array(HalfOp op, Format format, Source<uint16_t> a, Source<uint16_t> b, uint16_t* out, size_t n);

// f32 -> f16, bf16, e4m3 (satfinite); f16, bf16, e4m3, s8 -> f32; and the others by way of f32, which is exact. Arrays
// of the formats' own widths.
void convert_array(Format from, Format to, const void* x, void* out, size_t n);

}  // namespace xqacheck::arith::fast
