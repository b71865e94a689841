// s8 products into s32, wrapping modulo 2^32: exact integers, one column per lane.
#include <algorithm>
#include <cstring>

#include "emulation/arith/fast/targets.hpp"
#include "emulation/arith/fast/tile_job.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emulation/arith/fast/integer.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::arith::fast {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The exponent arrays of the operands hold the integers themselves.
void multiply_integer_impl(const TileJob& job) {
  const hn::ScalableTag<int32_t> di;
  const hn::Rebind<int16_t, decltype(di)> d16;
  const size_t lanes = hn::Lanes(di);
  const size_t k = job.columns.k;
  for (size_t column = 0; column < job.columns.vectors; column += lanes) {
    const size_t used = std::min(lanes, job.columns.vectors - column);
    const int16_t* b = job.columns.column_exponents + column / kLanes * k * kLanes + column % kLanes;
    for (size_t row = 0; row < job.rows.vectors; ++row) {
      const int32_t* a = job.rows.row_exponents + row * k;
      uint32_t* c = job.c + row * job.ldc + column;
      HWY_ALIGN int32_t buffer[kLanes] = {};
      std::memcpy(buffer, c, used * sizeof(uint32_t));
      auto sum = hn::Load(di, buffer);
      for (size_t i = 0; i < k; ++i) {
        const auto product = hn::Mul(hn::Set(di, a[i]), hn::PromoteTo(di, hn::LoadU(d16, b + i * kLanes)));
        sum = hn::Add(sum, product);
      }
      hn::Store(sum, di, buffer);
      std::memcpy(c, buffer, used * sizeof(uint32_t));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::arith::fast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::arith::fast {

HWY_EXPORT(multiply_integer_impl);

void multiply_integer(const TileJob& job) {
  HWY_DYNAMIC_DISPATCH(multiply_integer_impl)(job);
}

}  // namespace xqacheck::arith::fast
#endif
