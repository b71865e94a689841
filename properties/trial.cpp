#include "properties/trial.hpp"

#include <utility>

namespace xqacheck::properties {

Trial::Trial(reference::RunLine run, Runner& runner, TrialOptions options)
    : run_line_(std::move(run)), runner_(runner), options_(options) {}

const reference::Problem& Trial::problem() {
  if (!problem_) {
    problem_.emplace(reference::make_problem(subject()));
    if (run_line_.sm_count != 0) problem_->description.sm_count = run_line_.sm_count;
    problem_->description.pdl = run_line_.pdl ? 1 : 0;
  }
  return *problem_;
}

const reference::Golden& Trial::golden() {
  if (!golden_) {
    reference::GoldenOptions options;
    options.threads = options_.threads;
    golden_.emplace(reference::golden(view(), &kernel().numerics, options));
  }
  return *golden_;
}

const Outcome& Trial::plain_run() {
  if (!plain_) plain_.emplace(run(problem(), run_options()));
  return *plain_;
}

RunOptions Trial::run_options() const {
  RunOptions options;
  options.place = static_cast<Placement>(run_line_.place);
  options.scratch = static_cast<Fill>(run_line_.scratch);
  options.output = static_cast<Fill>(run_line_.output);
  options.fill_seed = run_line_.fill_seed;
  options.launching = static_cast<Launching>(run_line_.launch);
  options.runs = run_line_.runs;
  options.plan = run_line_.forced_splits();
  options.timeout_seconds = options_.timeout_seconds;
  return options;
}

}  // namespace xqacheck::properties
