#include "properties/checks/machine_schedules.hpp"

#include <algorithm>

namespace xqacheck::properties {

bool chooses_schedule(const Outcome& run) {
  return run.route.device.starts_with("PTX machine");
}

std::uint32_t schedule_number(ptx::ScheduleKind kind) {
  constexpr std::size_t kKinds = 7;  // the list begins with every kind once
  const auto list = ptx::standard_schedules(kKinds);
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const ptx::ScheduleSpec& spec) { return spec.kind == kind; });
  return static_cast<std::uint32_t>(found - list.begin()) + 1;
}

}  // namespace xqacheck::properties
