#include "properties/property.hpp"

#include <fmt/format.h>

#include <chrono>
#include <new>

#include "properties/output.hpp"
#include "properties/tool_version.hpp"

namespace xqacheck::properties {
namespace {

Verdict of_status(Status status, std::string kind, std::string message) {
  Verdict verdict;
  verdict.status = status;
  verdict.kind = std::move(kind);
  verdict.message = std::move(message);
  return verdict;
}

std::string with(const std::string& during) {
  return during.empty() ? "" : during + ": ";
}

// The first words of a reason, without the numbers that differ between sizes: what two crashes of one cause have in
// common.
std::string kind_of(const std::string& why) {
  return why.substr(0, why.find_first_of(",;:("));
}

}  // namespace

Verdict passed() {
  return of_status(Status::passed, "", "");
}
Verdict unsupported(std::string why) {
  return of_status(Status::unsupported, "", std::move(why));
}
Verdict mistrusted(std::string why) {
  return of_status(Status::mistrusted, "", std::move(why));
}
Verdict failed(std::string kind, std::string message) {
  return of_status(Status::failed, std::move(kind), std::move(message));
}

bool is_judgeable(const Outcome& outcome) {
  return outcome.status == RunStatus::ok;
}

Verdict verdict_of_broken_run(const Outcome& outcome, const std::string& during) {
  const std::string why = outcome.why.empty() ? "no reason given" : outcome.why;
  switch (outcome.status) {
    case RunStatus::unsupported:
      return unsupported(with(during) + why);
    case RunStatus::invalid:
      return unsupported(with(during) + "the kernel calls the problem contradictory: " + why);
    case RunStatus::crashed:
      return of_status(Status::crashed, kind_of(why), with(during) + why);
    case RunStatus::hung:
      return of_status(Status::hung, "time-out", with(during) + why);
    default:
      return failed("kernel error", with(during) + "the kernel reported an error: " + why);
  }
}

std::optional<Verdict> verdict_of_side_effects(const Outcome& outcome, const std::string& during) {
  if (!outcome.damage.empty()) {
    const Damage& damage = outcome.damage.front();
    Verdict verdict =
        failed("write " + damage.buffer, fmt::format("{}{} bytes written {}, the first at offset {}", with(during),
                                                     damage.bytes, damage.buffer, damage.offset));
    for (const Damage& each : outcome.damage)
      verdict.notes.push_back(fmt::format("damage: {}, offset {}, {} bytes", each.buffer, each.offset, each.bytes));
    return verdict;
  }
  if (!outcome.state_left_zero)
    return failed("state", with(during) + "the persistent state (semaphores) is not zero after the run");
  return std::nullopt;
}

Verdict judge_property(const Property& property, Trial& trial) {
  const auto start = std::chrono::steady_clock::now();
  Verdict verdict;
  try {
    verdict = property.check(trial);
    const Outcome& plain = trial.plain_run();
    verdict.route = plain.route;
    verdict.out_hash = hash_of_output(trial.view(), plain);
  } catch (const std::bad_alloc&) {
    verdict = unsupported("the case does not fit into memory");
  }
  verdict.property = property.id;
  verdict.subject = trial.subject();
  reference::RunLine run = trial.run_line();
  run.property = property.id;
  run.tool = short_version();
  verdict.run_line = reference::print_run_line(run);
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

}  // namespace xqacheck::properties
