#include "emulation/ptx/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/replay/xqa_launch.hpp"

namespace xqacheck::ptx {
namespace {

void merge(std::vector<Finding>& all, const std::vector<Finding>& fresh) {
  for (const Finding& finding : fresh) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Finding& other) {
      return other.kind == finding.kind && other.ptx_line == finding.ptx_line &&
             other.other_ptx_line == finding.other_ptx_line && other.allocation == finding.allocation;
    });
    if (same == all.end())
      all.push_back(finding);
    else
      same->count += finding.count;
  }
}

}  // namespace

PtxReplay replay_from_ptx(const Module& module, const emulation::Recording& recording, std::span<const ScheduleSpec> schedules,
                          const PtxReplayOptions& options) {
  PtxReplay result;
  for (const ScheduleSpec& spec : schedules) {
    CheckOptions all;
    all.most_findings = 10000;  // a list of known ones is compared with all of them, not with the first hundred
    Checker checker(all);
    checker.set_case_line(recording.name);
    Machine machine;
    std::optional<Watch> watch;
    if (options.checks) machine.set_monitor(&checker);
    if (options.checks && !options.watch.empty()) {
      options.say(fmt::format("{} under {}", recording.name, to_text(spec)));
      watch.emplace(machine, checker, options.watch, options.say);
      machine.set_monitor(&*watch);
    }
    const auto schedule = make_schedule(spec);
    machine.set_schedule(schedule.get());
    machine.set_threads(machine.monitor() != nullptr || spec.kind != ScheduleKind::in_order ? 0 : options.threads);
    LoadedModule loaded(machine, module);
    XqaCall call(machine, loaded, recording);
    const auto begin = std::chrono::steady_clock::now();
    try {
      machine.run({call.launch()});
    } catch (const MachineFault& fault) {
      if (result.fault.empty()) result.fault = to_text(spec) + ": " + fault.what();
    }
    if (watch) watch->check_ranges();
    result.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.instructions += machine.instructions();
    ++result.schedules;
    const std::vector<std::byte> out = call.output();
    emulation::Replay comparison =
        emulation::compare_outputs(recording.problem.view(nullptr, nullptr), recording.out.data(), out.data());
    comparison.semaphores_equal = call.semaphores_are_zero();
    if (!comparison.equal() && result.differing_schedules++ == 0) result.differing_schedule = to_text(spec);
    if (result.differing_schedules == 0 || !comparison.equal()) result.comparison = comparison;
    merge(result.findings, checker.findings());
  }
  return result;
}

}  // namespace xqacheck::ptx
