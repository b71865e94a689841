// Patterns: what canaries and fills hold. Pure functions of (fill, seed, slot, byte offset), so that the harness can
// check afterwards what it or the worker wrote before, without keeping a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/abi/xqacheck_kernel.h"
#include "properties/isolation/slots.hpp"

namespace xqacheck::properties::isolation {

struct Pattern {
  Fill fill = Fill::nan;
  std::uint32_t dtype = XQACHECK_NONE;  // xqacheck_dtype; only `huge` depends on it
  std::uint64_t seed = 0;
  std::uint32_t slot = 0;
};

// Canaries are NaN in every float format (0x7fff or 0xffff by a hash in each 16-bit word): what reads them shows it.
inline Pattern canary_pattern(std::uint64_t seed, std::uint32_t slot) {
  return {Fill::nan, XQACHECK_NONE, ~seed, slot};
}

// Writes `bytes` bytes at `destination`, which lies `offset` bytes from the start of the slot.
void write_pattern(const Pattern& pattern, std::uint64_t offset, std::byte* destination, std::uint64_t bytes);

struct Mismatch {
  std::uint64_t first = 0;  // distance of the first wrong byte from `actual`
  std::uint64_t count = 0;  // wrong bytes
};
std::optional<Mismatch> find_mismatch(const Pattern& pattern, std::uint64_t offset, const std::byte* actual,
                                      std::uint64_t bytes);

// The bytes of a slot that can be touched but belong to no buffer: [map_begin, data) and [data + bytes, map_end).
void fill_around(const Pattern& canary, const SlotPlan& plan, std::byte* slot);
struct AroundMismatch {
  std::optional<Mismatch> before;  // `first` counts from map_begin
  std::optional<Mismatch> after;   // `first` counts from the buffer's end
};
AroundMismatch check_around(const Pattern& canary, const SlotPlan& plan, const std::byte* slot);

}  // namespace xqacheck::properties::isolation
