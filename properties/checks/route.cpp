// route: the kernel that ran is the one asked for, on the device asked for, with the split plan asked for.
#include <fmt/format.h>

#include <string_view>

#include "properties/property.hpp"

namespace xqacheck::properties {
namespace {

// What the run line asks for: "name", "./plugin.so" or "./plugin.so:name". "" where it leaves the name open.
std::string asked_kernel(const std::string& spec) {
  const std::size_t colon = spec.rfind(':');
  if (spec.find('/') == std::string::npos) return spec;
  return colon == std::string::npos || colon < spec.rfind('/') ? "" : spec.substr(colon + 1);
}

// `splits`: forced, 0: the kernel's own plan.
std::optional<Verdict> wrong_route(Trial& trial, const Outcome& outcome, std::uint32_t splits) {
  const xqacheck_description& kernel = trial.kernel();
  const Route& route = outcome.route;
  const std::string asked = asked_kernel(trial.run_line().kernel);
  const auto wrong = [](std::string text) { return failed("route", std::move(text)); };
  if (route.kernel != kernel.name) return wrong(fmt::format("{} was asked for, {} ran", kernel.name, route.kernel));
  if (!asked.empty() && route.kernel != asked)
    return wrong(fmt::format("{} was asked for, {} ran", asked, route.kernel));
  if (kernel.version != nullptr && route.version != kernel.version)
    return wrong(fmt::format("version {} of {} was asked for, {} ran", kernel.version, kernel.name, route.version));
  if ((kernel.memory == XQACHECK_HOST) != (route.device == "host"))
    return wrong(fmt::format("a kernel on {} memory ran on '{}'", kernel.memory == XQACHECK_HOST ? "host" : "device",
                             route.device));
  if (trial.run_line().device == reference::Device::ptx && kernel.memory != XQACHECK_HOST &&
      !route.device.starts_with("PTX machine"))
    return wrong(fmt::format("the PTX machine was asked for, '{}' ran", route.device));
  if (route.splits == 0) return wrong("the kernel reports a plan of 0 sub-sequences");
  // A kernel may use fewer than it is told (one a tile), never more.
  if (splits != 0 && route.splits > splits)
    return wrong(fmt::format("{} splits were forced, {} were used", splits, route.splits));
  return std::nullopt;
}

Verdict check(Trial& trial) {
  const Outcome& plain = trial.plain_run();
  if (!is_judgeable(plain)) return verdict_of_broken_run(plain, "");
  const RunOptions options = trial.run_options();
  if (auto verdict = wrong_route(trial, plain, options.plan)) return *verdict;
  Verdict result = passed();
  ++result.elements;
  RunOptions forced = options;
  forced.plan = 2;
  const Outcome outcome = trial.run(trial.problem(), forced);
  if (outcome.status == RunStatus::unsupported) return result;
  if (!is_judgeable(outcome)) return verdict_of_broken_run(outcome, "with 2 splits");
  if (auto verdict = wrong_route(trial, outcome, forced.plan)) return *verdict;
  ++result.elements;
  return result;
}

}  // namespace

extern const Property route_property;
const Property route_property = {
    "route", "the kernel that ran is the one asked for, with the device and split plan asked for", check};

}  // namespace xqacheck::properties
