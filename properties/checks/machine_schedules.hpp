// Devices that can choose the order of warps, CTAs and copies (the PTX machine), as properties see them.
#pragma once

#include <cstdint>

#include "emulation/ptx/schedule/schedule.hpp"
#include "properties/outcome.hpp"

namespace xqacheck::properties {

// Whether the run was on a device that follows RunOptions::schedule.
bool chooses_schedule(const Outcome& run);
// RunOptions::schedule of the first standard schedule of a kind.
std::uint32_t schedule_number(ptx::ScheduleKind kind);

}  // namespace xqacheck::properties
