#include "properties/checks/judge_filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/output.hpp"
#include "reference/filters/filters.hpp"

namespace xqacheck::properties {
namespace {

namespace filters = reference::filters;

constexpr std::size_t kShown = 4;  // suspects in the notes: the others are the first one's shadows

std::string line_of(const filters::Finding& finding, const filters::FilterReport& report) {
  return fmt::format("{} ({:.1f} sigma, alarm from {:.1f})", filters::text_of(finding.suspect, finding.amplitude),
                     std::fabs(finding.sigmas), report.level_of(finding.suspect));
}

}  // namespace

std::optional<Verdict> judge_filters(Trial& trial) {
  const xqacheck_problem problem = trial.view();
  const Outcome& outcome = trial.plain_run();
  filters::FilterOptions options;
  options.threads = trial.options().threads;
  options.splits = outcome.route.splits;
  const filters::FilterReport report = filters::run_filters(problem, trial.golden(), &trial.kernel().numerics,
                                                            decoded_output(problem, outcome), options);
  if (!report.alarm()) return std::nullopt;
  Verdict verdict =
      failed("suspect", "every element is within its bound, but together their errors are those of a fault: " +
                            line_of(report.alarms.front(), report));
  for (std::size_t i = 1; i < std::min(kShown, report.alarms.size()); ++i)
    verdict.notes.push_back("also possible: " + line_of(report.alarms[i], report));
  verdict.elements = report.judged;
  return verdict;
}

}  // namespace xqacheck::properties
