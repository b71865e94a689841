#include "properties/shrink_failure.hpp"

#include <algorithm>
#include <exception>
#include <thread>

namespace xqacheck::properties {
namespace {

// A hang is paid for by every candidate that still hangs; smaller cases of a kernel that answers need milliseconds.
constexpr double kHangSeconds = 2;

Verdict judge(const reference::RunLine& run, const Property& property, Runner& runner, const TrialOptions& options) {
  return judge_case(run, {&property}, runner, options).verdicts.front();
}

}  // namespace

ShrunkFailure shrink_failure(const Property& property, const Verdict& failing, const reference::RunLine& run,
                             Runners& runners, TrialOptions options) {
  if (failing.status == Status::hung) options.timeout_seconds = std::min(options.timeout_seconds, kHangSeconds);
  const auto still_fails = [&](const std::vector<reference::Case>& cases) {
    std::vector<char> fails(cases.size());  // not vector<bool>: written by several threads
    std::vector<std::exception_ptr> errors(cases.size());
    const auto try_one = [&](std::size_t i) {
      try {
        reference::RunLine candidate = run;
        candidate.subject = cases[i];
        const Verdict verdict = judge(candidate, property, *runners[i % runners.size()], options);
        fails[i] = verdict.status == failing.status && verdict.kind == failing.kind;
      } catch (...) {
        errors[i] = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < cases.size(); ++i) threads.emplace_back(try_one, i);
    try_one(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
    return std::vector<bool>(fails.begin(), fails.end());
  };
  ShrinkLimits limits;
  limits.batch = static_cast<std::uint32_t>(runners.size());
  ShrunkFailure result;
  result.how = shrink(run.subject, still_fails, limits);
  reference::RunLine smallest = run;
  smallest.subject = result.how.smallest;
  result.verdict = judge(smallest, property, *runners.front(), options);
  return result;
}

}  // namespace xqacheck::properties
