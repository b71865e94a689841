// cvt between integers, with and without saturation.
#include <limits>

#include "emulation/ptx/instructions/convert.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

using W = std::uint32_t;
using Q = std::uint64_t;

// Clamped to the target's range if kSaturate, otherwise cut off.
template <class S, class D, bool kSaturate>
D convert_integer(S x) {
  if constexpr (kSaturate) {
    using L = std::numeric_limits<D>;
    if constexpr (std::is_signed_v<S>) {
      const auto wide = static_cast<std::int64_t>(x);
      if constexpr (std::is_signed_v<D>) {
        if (wide < std::int64_t{L::min()}) return L::min();
        if (wide > std::int64_t{L::max()}) return L::max();
      } else {
        if (wide < 0) return 0;
        if (static_cast<Q>(wide) > Q{L::max()}) return L::max();
      }
    } else if (static_cast<Q>(x) > static_cast<Q>(L::max())) {
      return L::max();
    }
  }
  return static_cast<D>(x);
}

// The result as the destination register holds it: a narrow signed value is extended to the register's width R.
template <class S, class D, class R, bool kSaturate>
R widened(S x) {
  return static_cast<R>(convert_integer<S, D, kSaturate>(x));
}

template <class S, class D, bool kSaturate>
Handler integer_handler(std::uint32_t register_bytes) {
  if (register_bytes == 8) {
    if constexpr (std::is_signed_v<D>) return lanewise1<std::int64_t, S, widened<S, D, std::int64_t, kSaturate>>;
    return lanewise1<Q, S, widened<S, D, Q, kSaturate>>;
  }
  if constexpr (sizeof(D) == 8) {
    return nullptr;
  } else if constexpr (std::is_signed_v<D>) {
    if (register_bytes == 4) return lanewise1<std::int32_t, S, widened<S, D, std::int32_t, kSaturate>>;
    if constexpr (sizeof(D) <= 2) return lanewise1<std::int16_t, S, widened<S, D, std::int16_t, kSaturate>>;
    return nullptr;
  } else {
    return lanewise1<W, S, widened<S, D, W, kSaturate>>;
  }
}

template <class S, bool kSaturate>
Handler integer_target(Type to, std::uint32_t register_bytes) {
  switch (to) {
    case Type::u8:
      return integer_handler<S, std::uint8_t, kSaturate>(register_bytes);
    case Type::s8:
      return integer_handler<S, std::int8_t, kSaturate>(register_bytes);
    case Type::u16:
      return integer_handler<S, std::uint16_t, kSaturate>(register_bytes);
    case Type::s16:
      return integer_handler<S, std::int16_t, kSaturate>(register_bytes);
    case Type::u32:
      return integer_handler<S, std::uint32_t, kSaturate>(register_bytes);
    case Type::s32:
      return integer_handler<S, std::int32_t, kSaturate>(register_bytes);
    case Type::u64:
      return integer_handler<S, std::uint64_t, kSaturate>(register_bytes);
    case Type::s64:
      return integer_handler<S, std::int64_t, kSaturate>(register_bytes);
    default:
      return nullptr;
  }
}

}  // namespace

Handler integer_conversion(Type from, Type to, std::uint32_t register_bytes, bool saturate) {
  const auto of = [&](auto zero) {
    using S = decltype(zero);
    return saturate ? integer_target<S, true>(to, register_bytes) : integer_target<S, false>(to, register_bytes);
  };
  switch (from) {
    case Type::u8:
      return of(std::uint8_t{});
    case Type::s8:
      return of(std::int8_t{});
    case Type::u16:
      return of(std::uint16_t{});
    case Type::s16:
      return of(std::int16_t{});
    case Type::u32:
      return of(std::uint32_t{});
    case Type::s32:
      return of(std::int32_t{});
    case Type::u64:
      return of(std::uint64_t{});
    case Type::s64:
      return of(std::int64_t{});
    default:
      return nullptr;
  }
}

}  // namespace xqacheck::ptx
