#include "properties/campaign.hpp"

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "properties/tool_version.hpp"

namespace xqacheck::properties {
namespace {

Verdict impossible_case(const reference::RunLine& run, const Property& property, const std::string& why) {
  Verdict verdict = unsupported("the case cannot be made: " + why);
  verdict.property = property.id;
  verdict.subject = run.subject;
  reference::RunLine line = run;
  line.property = property.id;
  line.tool = short_version();
  verdict.run_line = reference::print_run_line(line);
  return verdict;
}

// Hands results on in the order of the cases.
class InOrder {
 public:
  explicit InOrder(const std::function<bool(const CaseResult&)>& deliver) : deliver_(deliver) {}

  void put(std::size_t position, CaseResult result) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(position, std::move(result));
    while (!stopped_ && !waiting_.empty() && waiting_.begin()->first == next_) {
      if (!deliver_(waiting_.begin()->second)) stopped_ = true;
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }
  bool stopped() const { return stopped_; }

 private:
  const std::function<bool(const CaseResult&)>& deliver_;
  std::mutex mutex_;
  std::map<std::size_t, CaseResult> waiting_;
  std::size_t next_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

CaseResult judge_case(const reference::RunLine& run, const std::vector<const Property*>& properties, Runner& runner,
                      const TrialOptions& options) {
  CaseResult result;
  Trial trial(run, runner, options);
  for (const Property* property : properties) {
    try {
      result.verdicts.push_back(judge_property(*property, trial));
    } catch (const reference::CaseError& error) {
      result.verdicts.push_back(impossible_case(run, *property, error.what()));
      break;
    }
    // What could not run at all, or crashed, says so once, not once a property.
    if (trial.plain_run_failed()) break;
  }
  for (const Verdict& verdict : result.verdicts) result.executed |= verdict.status != Status::unsupported;
  return result;
}

void run_campaign(const CampaignPlan& plan, Runners& runners, const std::function<bool(const CaseResult&)>& deliver) {
  InOrder results(deliver);
  std::atomic<std::size_t> next = 0;
  std::mutex error_mutex;
  std::exception_ptr error;
  const auto work = [&](Runner& runner) {
    try {
      for (std::size_t i = next++; i < plan.numbers.size() && !results.stopped(); i = next++) {
        const reference::RunLine run = plan.case_number(plan.numbers[i]);
        const Property* named = run.property.empty() ? nullptr : property_named(run.property);
        CaseResult result = judge_case(run, named ? std::vector{named} : plan.properties, runner, plan.options);
        result.number = plan.numbers[i];
        results.put(i, std::move(result));
      }
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      next = plan.numbers.size();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < runners.size() && i < plan.numbers.size(); ++i)
    threads.emplace_back(work, std::ref(*runners[i]));
  work(*runners.front());
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace xqacheck::properties
