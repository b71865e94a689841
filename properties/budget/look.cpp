#include "properties/budget/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "properties/budget/sample_size.hpp"
#include "properties/errors.hpp"

namespace xqacheck::properties::budget {
namespace {

// Nothing that more samples could make clearer.
bool settled(const ConfigurationFinding& finding) {
  const bool better = std::any_of(finding.metrics.begin(), finding.metrics.end(),
                                  [](const MetricFinding& f) { return f.answer == Answer::better; });
  return finding.verdict.status == Status::passed && !finding.profile_changed && !better;
}

}  // namespace

void append(SampleSet& set, SampleSet more) {
  set.seconds += more.seconds;
  if (more.status != RunStatus::ok) {
    set.status = more.status, set.why = more.why, set.failing_seed = more.failing_seed;
    return;
  }
  set.samples.insert(set.samples.end(), std::make_move_iterator(more.samples.begin()),
                     std::make_move_iterator(more.samples.end()));
}

Look look_at(const ConfigurationBudget& budget, Runners& runners, const LookOptions& options) {
  const CheckRules rules{.false_alarm_rate = options.false_alarm_rate};
  const std::uint64_t own = budget.samples.size();
  const std::uint64_t first = options.fresh > 0 ? options.fresh : budget.first_seed;
  std::uint64_t most = options.samples;
  if (options.fresh == 0) most = most == 0 ? own : std::min(most, own);
  if (most == 0) most = fresh_samples(budget, options.false_alarm_rate);
  if (options.fresh > 0 && budget.run.subject.file.empty() && options.fresh < budget.first_seed + own &&
      budget.first_seed < options.fresh + most)
    throw UsageError(fmt::format("--fresh {}: seeds {} to {} are those of the budget; these are fresh: --fresh {}",
                                 options.fresh, budget.first_seed, budget.first_seed + own - 1,
                                 budget.first_seed + own));
  Look look;
  // A second look at a few samples more is not worth its time.
  const bool twice = options.fresh == 0 && options.samples == 0 && own >= 2 * kFirstLook;
  look.set = take_samples(budget.run, runners, first, twice ? kFirstLook : most, options.sampling);
  if (look.set.status != RunStatus::ok) return look;
  look.finding = judge(budget, look.set, first, rules);
  if (!twice || !budget.run.subject.file.empty() || settled(look.finding)) return look;
  append(look.set, take_samples(budget.run, runners, first + kFirstLook, most - kFirstLook, options.sampling));
  if (look.set.status == RunStatus::ok) look.finding = judge(budget, look.set, first, rules);
  return look;
}

}  // namespace xqacheck::properties::budget
