#include "properties/report/exit_code.hpp"

#include <fmt/format.h>

namespace xqacheck::properties {
namespace {

std::string plural(std::uint64_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

}  // namespace

Conclusion conclude(const Tally& tally, const Demands& demands) {
  const Counts& total = tally.total();
  if (total.failures() > 0) return {ExitCode::failed, plural(total.failures(), "verdict") + " FAILED, CRASHED or HUNG"};
  if (tally.known_failures_that_pass() > 0)
    return {ExitCode::failed,
            plural(tally.known_failures_that_pass(), "known failure") + " passed: remove from the ledger"};
  if (tally.cases_asked() == 0) return {ExitCode::too_little, "no case was asked for, so nothing was checked"};
  if (static_cast<double>(tally.cases_executed()) < demands.min_executed * static_cast<double>(tally.cases_asked()))
    return {ExitCode::too_little, fmt::format("only {} of {} cases ran, fewer than --min-executed {:g} %",
                                              tally.cases_executed(), tally.cases_asked(), demands.min_executed * 100)};
  const std::uint64_t mistrusted = total.of(Status::mistrusted);
  if (static_cast<double>(mistrusted) > demands.max_mistrusted * static_cast<double>(total.executed()))
    return {ExitCode::too_little, fmt::format("{} of {} verdicts are MISTRUSTED, more than --max-mistrusted {:g} %",
                                              mistrusted, total.executed(), demands.max_mistrusted * 100)};
  // --min-executed 0 and --max-mistrusted 100 may lower the bar, but not to "nothing ran".
  if (total.executed() == 0) return {ExitCode::too_little, "every verdict is UNSUPPORTED, so nothing was checked"};
  return {};
}

ExitCode exit_code_of(Status status) {
  if (is_failure(status)) return ExitCode::failed;
  return status == Status::passed || status == Status::known ? ExitCode::passed : ExitCode::too_little;
}

}  // namespace xqacheck::properties
