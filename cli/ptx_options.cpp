#include "cli/ptx_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "properties/errors.hpp"

namespace xqacheck::cli {

void PtxOptions::add_to(CLI::App& command) {
  command.add_option("--schedules", schedules, "Run under so many schedules of the standard list (1)")
      ->check(CLI::Range(1u, 100000u))
      ->type_name("N");
  command.add_option("--schedule", schedule, "One schedule by name, such as random:17")->type_name("NAME[:SEED]");
  command.add_flag("--no-checks", no_checks, "Only compute: no checks of accesses");
  command.add_option("--known", known, "Findings that are known, with reasons (doc/ptx-checks.md): others fail")
      ->type_name("FILE.json");
  command.add_option("--watch", watch, "Print every access to these bytes, such as shared+0:4 or cta3:scratch+128:16")
      ->allow_extra_args(false)
      ->type_name("[ctaN:]NAME+OFFSET:BYTES");
}

std::vector<ptx::ScheduleSpec> PtxOptions::schedule_list() const {
  if (schedule.empty()) return ptx::standard_schedules(std::max(schedules, 1u));
  ptx::ScheduleSpec spec;
  std::string why;
  if (!ptx::parse_schedule(schedule, spec, why)) throw properties::UsageError("--schedule: " + why);
  return {spec};
}

std::vector<ptx::WatchRange> PtxOptions::watch_list() const {
  if (!watch.empty() && no_checks)
    throw properties::UsageError("--watch needs the checks, which see the accesses: leave --no-checks out");
  std::vector<ptx::WatchRange> list;
  for (const std::string& text : watch) {
    std::string why;
    if (!ptx::parse_watch(text, list.emplace_back(), why)) throw properties::UsageError("--watch " + why);
  }
  return list;
}

std::optional<ptx::KnownFindings> PtxOptions::known_findings() const {
  if (known.empty()) return {};
  if (no_checks) throw properties::UsageError("--known without checks: leave --no-checks out");
  return ptx::KnownFindings::read(known);
}

FindingReport::Count FindingReport::sort(const std::vector<ptx::Finding>& findings, std::vector<std::string>& lines) {
  constexpr std::size_t kShown = 20;  // a broken kernel has many of one kind
  Count count;
  std::map<const ptx::KnownFinding*, std::pair<std::size_t, std::uint64_t>> by_entry;
  for (const ptx::Finding& finding : findings) {
    if (const ptx::KnownFinding* entry = known_ ? known_->match(finding) : nullptr) {
      ++count.known;
      ++by_entry[entry].first;
      by_entry[entry].second += finding.count;
    } else if (count.unknown++ < kShown) {
      lines.push_back(to_text(finding));
    }
  }
  if (count.unknown > kShown) lines.push_back(fmt::format("… and {} more", count.unknown - kShown));
  for (const auto& [entry, seen] : by_entry)
    lines.push_back(
        fmt::format("known, {} places, {} times: {}: {}", seen.first, seen.second, to_text(*entry), entry->reason));
  return count;
}

std::vector<std::string> FindingReport::never_seen() const {
  std::vector<std::string> lines;
  if (!known_) return lines;
  for (const ptx::KnownFinding& entry : known_->entries())
    if (entry.seen == 0) lines.push_back(to_text(entry));
  return lines;
}

}  // namespace xqacheck::cli
