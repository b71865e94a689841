// Options that `ptx run` and `ptx replay` share: under which schedules, with what checks, which findings are known, and
// which bytes to watch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulation/ptx/check/finding.hpp"
#include "emulation/ptx/known/known.hpp"
#include "emulation/ptx/schedule/schedule.hpp"
#include "emulation/ptx/watch/watch.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

struct PtxOptions {
  std::string schedule, known;
  std::uint32_t schedules = 1;
  bool no_checks = false;
  std::vector<std::string> watch;

  void add_to(CLI::App& command);
  // All three throw properties::UsageError.
  std::vector<ptx::ScheduleSpec> schedule_list() const;
  std::vector<ptx::WatchRange> watch_list() const;
  std::optional<ptx::KnownFindings> known_findings() const;
};

// Findings as a person reads them: those that nobody knows in full, the known ones by entry.
class FindingReport {
 public:
  explicit FindingReport(std::optional<ptx::KnownFindings> known) : known_(std::move(known)) {}

  struct Count {
    std::size_t unknown = 0, known = 0;
  };
  // Prints nothing: `lines` is for after the headline.
  Count sort(const std::vector<ptx::Finding>& findings, std::vector<std::string>& lines);
  // Entries of the list that have not occurred, one line each.
  std::vector<std::string> never_seen() const;

 private:
  std::optional<ptx::KnownFindings> known_;
};

}  // namespace xqacheck::cli
