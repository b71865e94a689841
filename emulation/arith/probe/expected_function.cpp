#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "emulation/arith/array.hpp"
#include "emulation/arith/probe/draw.h"
#include "emulation/arith/probe/expected.hpp"
#include "emulation/arith/probe/parallel.hpp"
#include "emulation/arith/scalar.hpp"

namespace xqacheck::arith::probe {

namespace {

constexpr size_t kChunk = 1 << 14;  // fits a core's first cache with its results

using Words = std::vector<uint32_t>;

void each(const Words& x, Words& y, uint32_t (*scalar)(uint32_t)) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = scalar(x[i]);
}

// y = function(x), by the arrays where there are any.
void evaluate(Function function, const Words& x, Words& y) {
  const size_t n = x.size();
  Words a(n), b(n), c(n);
  std::vector<uint16_t> half(n);
  std::vector<uint8_t> byte(n);
  if (function >= kMulFtz) {
    for (size_t i = 0; i < n; ++i) {
      a[i] = draw::f32_operand(0, x[i]);
      b[i] = draw::f32_operand(1, x[i]);
      c[i] = draw::f32_operand(2, x[i]);
    }
  }
  switch (function) {
    case kEx2Ftz:
      return ex2_array(x.data(), y.data(), n);
    case kRcpFtz:
      return rcp_array(x.data(), y.data(), n);
    case kRsqrtFtz:
      return rsqrt_array(x.data(), y.data(), n);
    case kSqrtFtz:
      return sqrt_array(x.data(), y.data(), n);
    case kLg2Ftz:
      return lg2_array(x.data(), y.data(), n);
    case kEx2:
      return each(x, y, ex2_approx_f32);
    case kRcp:
      return each(x, y, rcp_approx_f32);
    case kRsqrt:
      return each(x, y, rsqrt_approx_f32);
    case kSqrt:
      return each(x, y, sqrt_approx_f32);
    case kLg2:
      return each(x, y, lg2_approx_f32);
    case kRcpRnFtz:
      return each(x, y, rcp_rn_ftz_f32);
    case kE4m3FromF32:
      f32_to_e4m3_array(x.data(), byte.data(), n);
      for (size_t i = 0; i < n; ++i) y[i] = byte[i] * 0x101u;
      return;
    case kF16FromF32:
      f32_to_f16_array(x.data(), half.data(), n);
      y.assign(half.begin(), half.end());
      return;
    case kBf16FromF32:
      f32_to_bf16_array(x.data(), half.data(), n);
      y.assign(half.begin(), half.end());
      return;
    case kMulFtz:
      return mul_ftz_array(a.data(), b.data(), y.data(), n);
    case kAddFtz:
      return add_ftz_array(a.data(), b.data(), y.data(), n);
    default:
      return fma_ftz_array(a.data(), b.data(), c.data(), y.data(), n);
  }
}

}  // namespace

const char* name_of(Function function) {
  constexpr const char* kNames[kFunctions] = {"ex2.approx.ftz.f32",
                                              "rcp.approx.ftz.f32",
                                              "rsqrt.approx.ftz.f32",
                                              "sqrt.approx.ftz.f32",
                                              "lg2.approx.ftz.f32",
                                              "ex2.approx.f32",
                                              "rcp.approx.f32",
                                              "rsqrt.approx.f32",
                                              "sqrt.approx.f32",
                                              "lg2.approx.f32",
                                              "cvt.rn.satfinite.e4m3x2.f32",
                                              "cvt.rn.f16.f32",
                                              "cvt.rn.bf16.f32",
                                              "rcp.rn.ftz.f32",
                                              "mul.rn.ftz.f32",
                                              "add.rn.ftz.f32",
                                              "fma.rn.ftz.f32"};
  return kNames[function];
}

Comparison compare_function(Function function, uint32_t first, size_t count, const uint32_t* device) {
  Comparison total;
  std::mutex mutex;
  parallel_chunks(count, kChunk, [&](size_t begin, size_t end) {
    Words x(end - begin), y(end - begin);
    for (size_t i = 0; i < x.size(); ++i) x[i] = first + static_cast<uint32_t>(begin + i);
    evaluate(function, x, y);
    uint64_t mismatches = 0;
    size_t bad = x.size();
    for (size_t i = 0; i < x.size(); ++i) {
      if (y[i] == device[begin + i]) continue;
      if (mismatches++ == 0) bad = i;
    }
    const std::lock_guard lock(mutex);
    total.outputs += x.size();
    total.mismatches += mismatches;
    if (mismatches != 0 && total.first.empty()) {
      total.first =
          fmt::format("input {:#010x}: device {:#010x}, library {:#010x}", x[bad], device[begin + bad], y[bad]);
    }
  });
  return total;
}

}  // namespace xqacheck::arith::probe
