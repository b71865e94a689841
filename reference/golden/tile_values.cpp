#include "reference/golden/tile_values.hpp"

#include <cmath>
#include <limits>

#include "reference/golden/element.hpp"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/golden/tile_values.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xqacheck::reference {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using F = hn::Rebind<float, D>;
using U = hn::Rebind<std::uint32_t, D>;
using I = hn::Rebind<std::int32_t, D>;
using U16 = hn::Rebind<std::uint16_t, D>;
using U8 = hn::Rebind<std::uint8_t, D>;
using I8 = hn::Rebind<std::int8_t, D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());

// Vectors of patterns to fp32. A format with fewer exponent bits is read with fp32's bias and lifted by an exact
// product, subnormals included; the top exponent is mended afterwards.
HWY_INLINE hn::Vec<F> bf16_values(const std::byte* p) {
  const auto bits = hn::LoadU(U16(), reinterpret_cast<const std::uint16_t*>(p));
  return hn::BitCast(F(), hn::ShiftLeft<16>(hn::PromoteTo(U(), bits)));
}

HWY_INLINE hn::Vec<F> lifted(hn::Vec<U> magnitude, hn::Vec<U> sign, float lift) {
  const auto value = hn::Mul(hn::BitCast(F(), magnitude), hn::Set(F(), lift));
  return hn::BitCast(F(), hn::Or(hn::BitCast(U(), value), sign));
}

HWY_INLINE hn::Vec<F> fp16_values(const std::byte* p) {
  const U u;
  const auto bits = hn::PromoteTo(u, hn::LoadU(U16(), reinterpret_cast<const std::uint16_t*>(p)));
  const auto magnitude = hn::And(bits, hn::Set(u, 0x7fff));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(u, 0x8000)));
  // The top exponent means infinity or NaN: fp32's own top exponent, ORed in.
  const auto special = hn::VecFromMask(u, hn::Gt(magnitude, hn::Set(u, 0x7bff)));
  return lifted(hn::ShiftLeft<13>(magnitude), hn::Or(sign, hn::And(special, hn::Set(u, 0x7f800000u))), 0x1p112f);
}

HWY_INLINE hn::Vec<F> e4m3_values(const std::byte* p) {
  const U u;
  const auto bits = hn::PromoteTo(u, hn::LoadU(U8(), reinterpret_cast<const std::uint8_t*>(p)));
  const auto magnitude = hn::And(bits, hn::Set(u, 0x7f));
  const auto sign = hn::ShiftLeft<24>(hn::And(bits, hn::Set(u, 0x80)));
  const auto nan = hn::VecFromMask(u, hn::Eq(magnitude, hn::Set(u, 0x7f)));
  return lifted(hn::ShiftLeft<20>(magnitude), hn::Or(sign, hn::And(nan, hn::Set(u, 0x7fc00000u))), 0x1p120f);
}

HWY_INLINE V int8_values(const std::byte* p) {
  const auto bits = hn::LoadU(I8(), reinterpret_cast<const std::int8_t*>(p));
  return hn::PromoteTo(D(), hn::PromoteTo(I(), bits));
}

template <class Load>
HWY_INLINE double decode_all(const std::byte* data, std::size_t count, std::size_t bytes, double* HWY_RESTRICT out,
                             const Load& load) {
  const D d;
  // Two sums: one alone would wait for itself. count is a multiple of 16, so of two vectors.
  V even = hn::Zero(d), odd = hn::Zero(d);
  for (std::size_t i = 0; i < count; i += 2 * kLanes) {
    const V x = load(data + i * bytes), y = load(data + (i + kLanes) * bytes);
    hn::StoreU(x, d, out + i);
    hn::StoreU(y, d, out + i + kLanes);
    even = hn::MulAdd(x, x, even);
    odd = hn::MulAdd(y, y, odd);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

double Decode(const std::byte* data, std::uint32_t dtype, std::size_t count, double* out) {
  const D d;
  switch (dtype) {
    case XQACHECK_BF16:
      return decode_all(data, count, 2, out,
                        [&](const std::byte* p) HWY_ATTR { return hn::PromoteTo(d, bf16_values(p)); });
    case XQACHECK_FP16:
      return decode_all(data, count, 2, out,
                        [&](const std::byte* p) HWY_ATTR { return hn::PromoteTo(d, fp16_values(p)); });
    case XQACHECK_E4M3:
      return decode_all(data, count, 1, out,
                        [&](const std::byte* p) HWY_ATTR { return hn::PromoteTo(d, e4m3_values(p)); });
    case XQACHECK_INT8:
      return decode_all(data, count, 1, out, [](const std::byte* p) HWY_ATTR { return int8_values(p); });
    default:
      break;
  }
  double square = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = element(data + i * bytes_of(dtype), dtype);
    square += out[i] * out[i];
  }
  return square;
}

void Describe(const double* HWY_RESTRICT v, std::size_t tokens, std::size_t dim, double* HWY_RESTRICT signs,
              double* HWY_RESTRICT largest) {
  const D d;
  const V one = hn::Set(d, 1.0);
  for (std::size_t c = 0; c < dim; c += kLanes) {
    V sign = hn::LoadU(d, signs + c), top = hn::LoadU(d, largest + c);
    for (std::size_t t = 0; t < tokens; ++t) {
      const V x = hn::LoadU(d, v + t * dim + c);
      sign = hn::Add(sign, hn::IfThenElseZero(hn::Ne(x, hn::Zero(d)), hn::CopySign(one, x)));
      top = hn::Max(top, hn::Abs(x));
    }
    hn::StoreU(sign, d, signs + c);
    hn::StoreU(top, d, largest + c);
  }
}

void RaiseReach(const double* HWY_RESTRICT sums, std::size_t count, double* HWY_RESTRICT reach) {
  const D d;
  for (std::size_t i = 0; i < count; i += kLanes) {
    hn::StoreU(hn::Max(hn::LoadU(d, reach + i), hn::Abs(hn::LoadU(d, sums + i))), d, reach + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace xqacheck::reference
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xqacheck::reference {

HWY_EXPORT(Decode);
HWY_EXPORT(Describe);
HWY_EXPORT(RaiseReach);

double decode(const std::byte* data, std::uint32_t dtype, std::size_t count, double* out) {
  return HWY_DYNAMIC_DISPATCH(Decode)(data, dtype, count, out);
}
void describe(const double* v, std::size_t tokens, std::size_t dim, double* signs, double* largest) {
  HWY_DYNAMIC_DISPATCH(Describe)(v, tokens, dim, signs, largest);
}
void raise_reach(const double* sums, std::size_t count, double* reach) {
  HWY_DYNAMIC_DISPATCH(RaiseReach)(sums, count, reach);
}

}  // namespace xqacheck::reference
#endif  // HWY_ONCE
