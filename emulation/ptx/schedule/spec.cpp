// Schedules by name and seed.
#include <charconv>

#include "emulation/ptx/schedule/schedule.hpp"

namespace xqacheck::ptx {
namespace {

constexpr ScheduleKind kKinds[] = {ScheduleKind::in_order,      ScheduleKind::round_robin, ScheduleKind::random,
                                   ScheduleKind::starve_warp,   ScheduleKind::delay_cta,   ScheduleKind::last_cta,
                                   ScheduleKind::late_producer, ScheduleKind::stray_copies};

}  // namespace

const char* name_of(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::in_order:
      return "in_order";
    case ScheduleKind::round_robin:
      return "round_robin";
    case ScheduleKind::random:
      return "random";
    case ScheduleKind::starve_warp:
      return "starve_warp";
    case ScheduleKind::delay_cta:
      return "delay_cta";
    case ScheduleKind::last_cta:
      return "last_cta";
    case ScheduleKind::late_producer:
      return "late_producer";
    case ScheduleKind::stray_copies:
      return "stray_copies";
  }
  return "?";
}

std::string to_text(const ScheduleSpec& spec) {
  return spec.seed == 0 ? name_of(spec.kind) : std::string(name_of(spec.kind)) + ":" + std::to_string(spec.seed);
}

bool parse_schedule(const std::string& text, ScheduleSpec& spec, std::string& why) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  std::string known;
  for (const ScheduleKind kind : kKinds) {
    known += (known.empty() ? "" : ", ") + std::string(name_of(kind));
    if (name != name_of(kind)) continue;
    spec = {kind, 0};
    if (colon == std::string::npos) return true;
    const char* begin = text.c_str() + colon + 1;
    const char* end = text.c_str() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, spec.seed);
    if (error == std::errc{} && stop == end && begin != end) return true;
    why = "schedule '" + text + "': the seed after ':' must be a number below 2^64";
    return false;
  }
  why = "schedule '" + text + "': no such name; there are " + known;
  return false;
}

std::vector<ScheduleSpec> standard_schedules(std::size_t count) {
  std::vector<ScheduleSpec> list;
  for (std::uint64_t round = 0; list.size() < count; ++round) {
    for (const ScheduleKind kind : kKinds) {
      if (kind == ScheduleKind::stray_copies) continue;
      const bool has_seed =
          kind != ScheduleKind::in_order && kind != ScheduleKind::round_robin && kind != ScheduleKind::late_producer;
      if (list.size() >= count || (round != 0 && !has_seed)) continue;
      list.push_back({kind, round});
    }
  }
  return list;
}

}  // namespace xqacheck::ptx
