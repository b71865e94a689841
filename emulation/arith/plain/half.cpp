#include "emulation/arith/plain/half.hpp"

#include "emulation/arith/plain/scalar.hpp"

namespace xqacheck::arith::plain {

namespace {

constexpr auto kKeep = Denormals::keep;

uint16_t narrow(uint32_t bits) {
  return static_cast<uint16_t>(bits);
}
uint16_t negated(uint16_t bits) {
  return static_cast<uint16_t>(bits ^ 0x8000u);
}

}  // namespace

uint16_t fma_rn_f16(uint16_t a, uint16_t b, uint16_t c) {
  return narrow(scalar_fma(kF16, kKeep, a, b, c));
}
uint16_t mul_rn_f16(uint16_t a, uint16_t b) {
  return narrow(scalar_mul(kF16, kKeep, a, b));
}
uint16_t add_rn_f16(uint16_t a, uint16_t b) {
  return narrow(scalar_add(kF16, kKeep, a, b));
}
uint16_t sub_rn_f16(uint16_t a, uint16_t b) {
  return narrow(scalar_add(kF16, kKeep, a, negated(b)));
}
uint16_t max_f16(uint16_t a, uint16_t b) {
  return narrow(scalar_max(kF16, kKeep, a, b));
}
uint16_t min_f16(uint16_t a, uint16_t b) {
  return narrow(scalar_min(kF16, kKeep, a, b));
}

uint16_t fma_rn_bf16(uint16_t a, uint16_t b, uint16_t c) {
  return narrow(scalar_fma(kBf16, kKeep, a, b, c));
}
uint16_t mul_rn_bf16(uint16_t a, uint16_t b) {
  return narrow(scalar_mul(kBf16, kKeep, a, b));
}
uint16_t add_rn_bf16(uint16_t a, uint16_t b) {
  return narrow(scalar_add(kBf16, kKeep, a, b));
}
uint16_t sub_rn_bf16(uint16_t a, uint16_t b) {
  return narrow(scalar_add(kBf16, kKeep, a, negated(b)));
}
uint16_t max_bf16(uint16_t a, uint16_t b) {
  return narrow(scalar_max(kBf16, kKeep, a, b));
}
uint16_t min_bf16(uint16_t a, uint16_t b) {
  return narrow(scalar_min(kBf16, kKeep, a, b));
}

}  // namespace xqacheck::arith::plain
