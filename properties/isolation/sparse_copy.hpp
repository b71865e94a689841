// Copies of tensors that are mostly holes: a pool whose pages lie at its far end takes gigabytes of addresses but a few
// pages of memory, and must cost no more than those.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::properties::isolation {

// Below this a dense copy is faster than asking which pages exist.
inline constexpr std::uint64_t kSparseFrom = std::uint64_t{1} << 20;

// Calls action(context, begin, end) for every byte range of [data, data + bytes) that may hold something but zeros.
// Pages that were never touched are skipped without touching them; all-zero pages are skipped too.
using RangeAction = void (*)(void* context, std::uint64_t begin, std::uint64_t end);
void for_nonzero_ranges(const std::byte* data, std::uint64_t bytes, RangeAction action, void* context);

}  // namespace xqacheck::properties::isolation
