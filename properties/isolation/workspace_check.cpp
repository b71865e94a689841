#include "properties/isolation/workspace_check.hpp"

#include <fmt/core.h>

#include <bit>

#include "properties/isolation/slots.hpp"

namespace xqacheck::properties::isolation {

std::string workspace_fault(const xqacheck_workspace& sizes, std::uint64_t room) {
  const struct {
    const char* name;
    std::uint64_t bytes;
    std::uint32_t align;
  } parts[] = {{"scratch", sizes.scratch_bytes, sizes.scratch_align}, {"state", sizes.state_bytes, sizes.state_align}};
  for (const auto& part : parts) {
    if (part.align != 0 && (!std::has_single_bit(part.align) || part.align > kLargestAlign))
      return fmt::format("workspace() asks for {}_align = {}; it must be a power of two up to {}", part.name,
                         part.align, kLargestAlign);
    if (part.bytes > room)
      return fmt::format("workspace() asks for {}_bytes = {}; no more than {} can be had", part.name, part.bytes, room);
  }
  return "";
}

}  // namespace xqacheck::properties::isolation
