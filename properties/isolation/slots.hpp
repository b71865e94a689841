// Slots: where each buffer of a run lies in the memory that the harness shares with a worker.
//
// The shared memory is one sparse file, cut into slots of equal stride: slot s covers file bytes [s * stride, (s+1) *
// stride) and, in the worker, addresses base + the same. A slot never moves, so neither side maps anything anew between
// two cases; the worker only changes which pages of a slot can be touched. All others are PROT_NONE: every buffer has
// unmapped memory on both sides.
#pragma once

#include <cstdint>
#include <string>

#include "properties/runner.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties::isolation {

inline constexpr std::uint64_t kPage = 4096;

// Slots before the tensors: the control page, the problem struct as the kernel sees it, and the kernel's `why` text.
enum : std::uint32_t { kControlSlot = 0, kProblemSlot = 1, kWhySlot = 2, kFirstTensorSlot = 3 };
inline constexpr std::uint32_t kTensorSlots = static_cast<std::uint32_t>(reference::TensorId::count);
enum : std::uint32_t { kScratchSlot = kFirstTensorSlot + kTensorSlots, kStateSlot, kSlotCount };
inline constexpr std::uint32_t slot_of(reference::TensorId id) {
  return kFirstTensorSlot + static_cast<std::uint32_t>(id);
}

// "out", "k", "scratch" … for messages.
std::string slot_name(std::uint32_t slot);

// Room for the longest `why`; exactly one page, so that a kernel that writes past why_bytes faults.
inline constexpr std::uint64_t kWhyBytes = kPage;
// Canary bytes on each side of a buffer in Placement::plain: more than the widest vector store or tile row that
// overshoots.
inline constexpr std::uint64_t kCanaryBytes = 1024;
// Strictest alignment a buffer may ask for: slots are aligned to it (a large page).
inline constexpr std::uint64_t kLargestAlign = std::uint64_t{2} << 20;

enum class Access : std::uint32_t { none, read, write };

// One buffer in its slot; all offsets are bytes from the slot's start.
struct SlotPlan {
  std::uint64_t bytes = 0;      // of the buffer
  std::uint64_t data = 0;       // its first byte
  std::uint64_t map_begin = 0;  // touchable pages [map_begin, map_end); all outside the buffer is canary
  std::uint64_t map_end = 0;
  Access access = Access::none;  // none: absent
  std::uint32_t align = 1;       // that was asked for

  bool operator==(const SlotPlan&) const = default;
};

// Lays out `bytes` aligned to `align` (a power of two up to kLargestAlign; 0 counts as 1). An empty buffer gets an
// address but no touchable page. Placement::end leaves less than `align` bytes between the buffer's end and unmapped
// memory.
SlotPlan plan_slot(std::uint64_t bytes, std::uint64_t align, Placement place, Access access);

// Whether a plan that came from a worker can be one of plan_slot's: a kernel may have written over the worker's memory.
bool is_plausible(const SlotPlan& plan, std::uint64_t stride);

}  // namespace xqacheck::properties::isolation
