#include "emulation/arith/array.hpp"

#include "emulation/arith/fast/array_kernels.hpp"

namespace xqacheck::arith {

namespace {

using fast::F32Op;
using fast::HalfOp;
using fast::MufuOp;
using Words = fast::Source<uint32_t>;
using Halves = fast::Source<uint16_t>;

Words every(const uint32_t* array) {
  return {array, 0};
}
Words every(uint32_t value) {
  return {nullptr, value};
}
Halves every(const uint16_t* array) {
  return {array, 0};
}
Halves every(uint16_t value) {
  return {nullptr, value};
}

}  // namespace

void fma_ftz_array(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::fma_ftz, every(a), every(b), every(c), out, n);
}
void fma_ftz_array(const uint32_t* a, uint32_t b, uint32_t c, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::fma_ftz, every(a), every(b), every(c), out, n);
}
void fma_ftz_array(const uint32_t* a, uint32_t b, const uint32_t* c, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::fma_ftz, every(a), every(b), every(c), out, n);
}
void mul_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::mul_ftz, every(a), every(b), {}, out, n);
}
void mul_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::mul_ftz, every(a), every(b), {}, out, n);
}
void add_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::add_ftz, every(a), every(b), {}, out, n);
}
void add_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::add_ftz, every(a), every(b), {}, out, n);
}
void sub_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::sub_ftz, every(a), every(b), {}, out, n);
}
void sub_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::sub_ftz, every(a), every(b), {}, out, n);
}
void max_ftz_array(const uint32_t* a, const uint32_t* b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::max_ftz, every(a), every(b), {}, out, n);
}
void max_ftz_array(const uint32_t* a, uint32_t b, uint32_t* out, size_t n) {
  fast::f32_array(F32Op::max_ftz, every(a), every(b), {}, out, n);
}
uint32_t max_ftz_reduce(uint32_t start, const uint32_t* a, size_t n) {
  return fast::f32_max_reduce(start, a, n);
}
void ex2_array(const uint32_t* x, uint32_t* out, size_t n) {
  fast::mufu_array(MufuOp::ex2, x, out, n);
}
void rcp_array(const uint32_t* x, uint32_t* out, size_t n) {
  fast::mufu_array(MufuOp::rcp, x, out, n);
}
void rsqrt_array(const uint32_t* x, uint32_t* out, size_t n) {
  fast::mufu_array(MufuOp::rsqrt, x, out, n);
}
void sqrt_array(const uint32_t* x, uint32_t* out, size_t n) {
  fast::mufu_array(MufuOp::sqrt, x, out, n);
}
void lg2_array(const uint32_t* x, uint32_t* out, size_t n) {
  fast::mufu_array(MufuOp::lg2, x, out, n);
}
void f32_to_f16_array(const uint32_t* x, uint16_t* out, size_t n) {
  fast::convert_array(Format::f32, Format::f16, x, out, n);
}
void f32_to_bf16_array(const uint32_t* x, uint16_t* out, size_t n) {
  fast::convert_array(Format::f32, Format::bf16, x, out, n);
}
void f32_to_e4m3_array(const uint32_t* x, uint8_t* out, size_t n) {
  fast::convert_array(Format::f32, Format::e4m3, x, out, n);
}
void f16_to_e4m3_array(const uint16_t* x, uint8_t* out, size_t n) {
  fast::convert_array(Format::f16, Format::e4m3, x, out, n);
}
void f16_to_f32_array(const uint16_t* x, uint32_t* out, size_t n) {
  fast::convert_array(Format::f16, Format::f32, x, out, n);
}
void bf16_to_f32_array(const uint16_t* x, uint32_t* out, size_t n) {
  fast::convert_array(Format::bf16, Format::f32, x, out, n);
}
void e4m3_to_f32_array(const uint8_t* x, uint32_t* out, size_t n) {
  fast::convert_array(Format::e4m3, Format::f32, x, out, n);
}
void e4m3_to_f16_array(const uint8_t* x, uint16_t* out, size_t n) {
  fast::convert_array(Format::e4m3, Format::f16, x, out, n);
}
void e4m3_to_bf16_array(const uint8_t* x, uint16_t* out, size_t n) {
  fast::convert_array(Format::e4m3, Format::bf16, x, out, n);
}
void s8_to_f16_array(const int8_t* x, uint16_t* out, size_t n) {
  fast::convert_array(Format::s8, Format::f16, x, out, n);
}
void s8_to_bf16_array(const int8_t* x, uint16_t* out, size_t n) {
  fast::convert_array(Format::s8, Format::bf16, x, out, n);
}
void s8_to_f32_array(const int8_t* x, uint32_t* out, size_t n) {
  fast::convert_array(Format::s8, Format::f32, x, out, n);
}
void mul_f16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  fast::half_array(HalfOp::mul, Format::f16, every(a), every(b), out, n);
}
void mul_f16_array(const uint16_t* a, uint16_t b, uint16_t* out, size_t n) {
  fast::half_array(HalfOp::mul, Format::f16, every(a), every(b), out, n);
}
void add_f16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  fast::half_array(HalfOp::add, Format::f16, every(a), every(b), out, n);
}
void mul_bf16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  fast::half_array(HalfOp::mul, Format::bf16, every(a), every(b), out, n);
}
void mul_bf16_array(const uint16_t* a, uint16_t b, uint16_t* out, size_t n) {
  fast::half_array(HalfOp::mul, Format::bf16, every(a), every(b), out, n);
}
void add_bf16_array(const uint16_t* a, const uint16_t* b, uint16_t* out, size_t n) {
  fast::half_array(HalfOp::add, Format::bf16, every(a), every(b), out, n);
}

}  // namespace xqacheck::arith
