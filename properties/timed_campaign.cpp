#include "properties/timed_campaign.hpp"

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

namespace xqacheck::properties {
namespace {

using Clock = std::chrono::steady_clock;

class TimedCampaign {
 public:
  TimedCampaign(const CampaignPlan& plan, double seconds, const std::function<void(const CaseResult&)>& deliver)
      : plan_(plan),
        schedule_(plan.properties, plan.numbers.size()),
        deliver_(deliver),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  void work(Runner& runner) {
    try {
      while (const auto item = take()) {
        const auto begin = Clock::now();
        const std::uint64_t number = plan_.numbers[item->position];
        const Property* property = plan_.properties[item->property];
        const reference::RunLine run = plan_.case_number(number);
        // A line that names another property is not judged by this one.
        if (!run.property.empty() && run.property != property->id) {
          finish(*item, {}, 0);
          continue;
        }
        CaseResult result = judge_case(run, {property}, runner, plan_.options);
        result.number = number;
        finish(*item, result, std::chrono::duration<double>(Clock::now() - begin).count());
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  std::vector<Schedule::Reached> reached() const { return schedule_.reached(); }

 private:
  std::optional<Schedule::Item> take() {
    const std::lock_guard lock(mutex_);
    if (error_ || Clock::now() >= end_) return std::nullopt;
    return schedule_.next();
  }

  void finish(const Schedule::Item& item, const CaseResult& result, double seconds) {
    const std::lock_guard lock(mutex_);
    schedule_.done(item, seconds, !result.executed);
    if (!result.verdicts.empty()) deliver_(result);
  }

  const CampaignPlan& plan_;
  Schedule schedule_;
  const std::function<void(const CaseResult&)>& deliver_;
  Clock::time_point end_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::vector<Schedule::Reached> run_timed_campaign(const CampaignPlan& plan, double seconds, Runners& runners,
                                                  const std::function<void(const CaseResult&)>& deliver) {
  TimedCampaign campaign(plan, seconds, deliver);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < runners.size(); ++i) threads.emplace_back([&, i] { campaign.work(*runners[i]); });
  campaign.work(*runners.front());
  for (std::thread& thread : threads) thread.join();
  campaign.rethrow();
  return campaign.reached();
}

}  // namespace xqacheck::properties
