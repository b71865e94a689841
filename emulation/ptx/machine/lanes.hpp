// One operation over the 32 lanes of a warp: loops that compilers turn into vector code.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "emulation/ptx/machine/warp.hpp"

// The lanes of one instruction do not depend on each other, also when a destination is a source too.
#if defined(__clang__)
#define XQACHECK_EVERY_LANE _Pragma("clang loop vectorize(assume_safety)") for (unsigned lane = 0; lane < 32; ++lane)
#else
#define XQACHECK_EVERY_LANE _Pragma("GCC ivdep") for (unsigned lane = 0; lane < 32; ++lane)
#endif

namespace xqacheck::ptx {

inline constexpr LaneMask kAllLanes = 0xffffffffu;

// Registers hold 64-bit lanes in pairs of words.
typedef std::uint64_t __attribute__((may_alias)) Word64;
typedef std::uint32_t __attribute__((may_alias)) Word32;

template <std::size_t kBytes>
struct StoredAs {
  typedef Word32 Type;
};
template <>
struct StoredAs<8> {
  typedef Word64 Type;
};
template <class T>
using Stored = typename StoredAs<sizeof(T)>::Type;

template <class T>
struct Lanes {  // read side
  const Stored<T>* words;
  T operator[](unsigned lane) const { return static_cast<T>(words[lane]); }
};

template <class T>
Lanes<T> read(const Warp& warp, Ref ref) {
  return {reinterpret_cast<const Stored<T>*>(warp.words(ref))};
}

// Narrow signed values are stored without their sign extension.
template <class T>
Stored<T> stored(T value) {
  return static_cast<Stored<T>>(static_cast<std::make_unsigned_t<T>>(value));
}

// destination[lane] = value(lane) for the lanes of `mask`.
template <class T, class F>
inline void write(Warp& warp, Ref ref, LaneMask mask, F&& value) {
  auto* out = reinterpret_cast<Stored<T>*>(warp.words(ref));
  if (mask == kAllLanes) {
    XQACHECK_EVERY_LANE out[lane] = stored<T>(value(lane));
  } else {
    XQACHECK_EVERY_LANE {
      const Stored<T> fresh = stored<T>(value(lane));
      out[lane] = ((mask >> lane) & 1) != 0 ? fresh : out[lane];
    }
  }
}

// For operations that are costly or must not run in lanes that do not take part.
template <class F>
inline void each(LaneMask mask, F&& f) {
  for (LaneMask rest = mask; rest != 0; rest &= rest - 1) f(static_cast<unsigned>(std::countr_zero(rest)));
}

template <class F>
inline LaneMask mask_where(F&& condition) {
  LaneMask result = 0;
  for (unsigned lane = 0; lane < 32; ++lane) result |= static_cast<LaneMask>(condition(lane) ? 1u : 0u) << lane;
  return result;
}

inline void write_predicate(Warp& warp, Ref ref, LaneMask mask, LaneMask value) {
  if (ref == kNoRef) return;
  std::uint32_t* word = warp.words(ref);
  *word = (*word & ~mask) | (value & mask);
}

}  // namespace xqacheck::ptx
