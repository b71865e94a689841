#include "properties/isolation/slots.hpp"

#include <algorithm>

namespace xqacheck::properties::isolation {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) {
  return value / unit * unit;
}

}  // namespace

std::string slot_name(std::uint32_t slot) {
  switch (slot) {
    case kControlSlot:
      return "the control page";
    case kProblemSlot:
      return "the problem struct";
    case kWhySlot:
      return "why";
    case kScratchSlot:
      return "scratch";
    case kStateSlot:
      return "state";
    default:
      return reference::name_of(static_cast<reference::TensorId>(slot - kFirstTensorSlot));
  }
}

SlotPlan plan_slot(std::uint64_t bytes, std::uint64_t align, Placement place, Access access) {
  align = std::max<std::uint64_t>(align, 1);
  // Page 0 of a slot is never touchable: it separates the slot from the one before.
  const std::uint64_t first = std::max(kPage, align);
  SlotPlan plan;
  plan.bytes = bytes;
  plan.access = access;
  plan.align = static_cast<std::uint32_t>(align);
  if (bytes == 0) {
    plan.data = plan.map_begin = plan.map_end = first;
    return plan;
  }
  switch (place) {
    case Placement::plain:
      plan.data = first + std::max(kCanaryBytes, align);
      plan.map_begin = round_down(plan.data - kCanaryBytes, kPage);
      plan.map_end = round_up(plan.data + bytes + kCanaryBytes, kPage);
      break;
    case Placement::begin:
      plan.data = plan.map_begin = first;
      plan.map_end = round_up(first + bytes, kPage);
      break;
    case Placement::end:
      plan.data = round_down(first + round_up(round_up(bytes, align), kPage) - bytes, align);
      plan.map_begin = round_down(plan.data, kPage);
      plan.map_end = round_up(plan.data + bytes, kPage);
      break;
  }
  return plan;
}

bool is_plausible(const SlotPlan& plan, std::uint64_t stride) {
  if (plan.access == Access::none) return plan == SlotPlan{};
  return plan.access == Access::write && plan.map_begin % kPage == 0 && plan.map_end % kPage == 0 &&
         plan.map_begin <= plan.data && plan.data <= plan.map_end && plan.bytes <= plan.map_end - plan.data &&
         plan.map_begin >= kPage && plan.map_end < stride;
}

}  // namespace xqacheck::properties::isolation
