// The host's flush-to-zero and denormals-are-zero modes change no bit: everything is computed once in the default mode
// and once with both set, on every vector unit.
#include <cfenv>
#include <cstring>
#include <vector>

#include "emulation/arith/array.hpp"
#include "emulation/arith/probe/draw.h"
#include "emulation/arith/scalar.hpp"
#include "emulation/arith/tile.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/arith/drawn_tile.hpp"
#include "tests/emulation/arith/targets.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace xqacheck::arith {
namespace {

// Sets flush-to-zero and denormals-are-zero while alive.
class FlushingHost {
 public:
#if defined(__x86_64__)
  FlushingHost() : saved_(_mm_getcsr()) {
    _mm_setcsr(saved_ | 0x8040);
  }
  ~FlushingHost() {
    _mm_setcsr(saved_);
  }

 private:
  unsigned saved_;
#elif defined(__aarch64__)
  FlushingHost() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(saved_ | uint64_t{1} << 24));
  }
  ~FlushingHost() {
    asm volatile("msr fpcr, %0" ::"r"(saved_));
  }

 private:
  uint64_t saved_ = 0;
#endif
};

// Every kind of result, one after the other.
std::vector<uint32_t> everything() {
  std::vector<uint32_t> out;
  for (const MatrixInstruction& instruction : matrix_instructions()) {
    if (instruction.evidence != Evidence::measured) continue;
    for (uint32_t kind = 0; kind < draw::kKinds; ++kind) {
      const DrawnTile tile(instruction, kind, 5, 3, 33, static_cast<size_t>(instruction.k) * 2);
      std::vector<uint32_t> c = tile.c;
      multiply_tile(instruction, tile.view_a(), tile.view_b(), c.data(), tile.columns);
      out.insert(out.end(), c.begin(), c.end());
    }
    // Denormal C, nothing added.
    const std::vector<uint8_t> zeros(64, 0);
    std::vector<uint32_t> c{1, 0x80000001, 0x007fffff, 0x807fffff, 0x00400000};
    const OperandView a{instruction.operands, zeros.data(), 1, 32, 32};
    multiply_tile(instruction, a, {instruction.operands, zeros.data(), c.size(), 32, 0}, c.data(), c.size());
    out.insert(out.end(), c.begin(), c.end());
  }
  constexpr size_t kCount = 20000;
  std::vector<uint32_t> a(kCount), b(kCount), c(kCount), y(kCount);
  std::vector<uint16_t> ha(kCount), hb(kCount), half(kCount);
  std::vector<uint8_t> byte(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    a[i] = draw::f32_operand(0, i);
    b[i] = draw::f32_operand(1, i);
    c[i] = draw::f32_operand(2, i);
    ha[i] = static_cast<uint16_t>(i % 3 == 0 ? a[i] & 0x81ff : a[i] >> 8);
    hb[i] = static_cast<uint16_t>(b[i] >> 8);
  }
  const auto keep = [&] { out.insert(out.end(), y.begin(), y.end()); };
  const auto keep_half = [&] { out.insert(out.end(), half.begin(), half.end()); };
  fma_ftz_array(a.data(), b.data(), c.data(), y.data(), kCount), keep();
  mul_ftz_array(a.data(), b.data(), y.data(), kCount), keep();
  add_ftz_array(a.data(), b.data(), y.data(), kCount), keep();
  max_ftz_array(a.data(), b.data(), y.data(), kCount), keep();
  for (const auto function : {ex2_array, rcp_array, rsqrt_array, sqrt_array, lg2_array}) {
    function(a.data(), y.data(), kCount), keep();
  }
  f32_to_f16_array(a.data(), half.data(), kCount), keep_half();
  f32_to_bf16_array(a.data(), half.data(), kCount), keep_half();
  f32_to_e4m3_array(a.data(), byte.data(), kCount), out.insert(out.end(), byte.begin(), byte.end());
  f16_to_f32_array(ha.data(), y.data(), kCount), keep();
  mul_f16_array(ha.data(), hb.data(), half.data(), kCount), keep_half();
  add_f16_array(ha.data(), hb.data(), half.data(), kCount), keep_half();
  mul_bf16_array(ha.data(), hb.data(), half.data(), kCount), keep_half();
  add_bf16_array(ha.data(), hb.data(), half.data(), kCount), keep_half();
  for (size_t i = 0; i < kCount; ++i) {
    for (const auto operation : {add_rn_f32, mul_rn_f32, div_rn_f32, add_rn_ftz_f32, mul_rn_ftz_f32, div_approx_f32}) {
      out.push_back(operation(a[i], b[i]));
    }
    out.push_back(fma_rn_f32(a[i], b[i], c[i]));
    out.push_back(fma_rn_ftz_f32(a[i], b[i], c[i]));
    for (const auto function : {ex2_approx_f32, rcp_approx_f32, rsqrt_approx_f32, sqrt_approx_f32, lg2_approx_f32}) {
      out.push_back(function(a[i]));
    }
  }
  return out;
}

TEST_CASE("results do not depend on the host's denormal mode") {
  volatile float smallest = 0x1p-126f;
  for_each_target([&](const char* target) {
    INFO(target);
    const std::vector<uint32_t> expected = everything();
    const FlushingHost flushing;
    const volatile float half_of_smallest = smallest * 0.5f;
    REQUIRE(half_of_smallest == 0.0f);  // the mode is really on
    const std::vector<uint32_t> result = everything();
    CHECK(std::memcmp(result.data(), expected.data(), expected.size() * sizeof(uint32_t)) == 0);
  });
}

}  // namespace
}  // namespace xqacheck::arith
