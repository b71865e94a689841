// Trial: one case on one kernel. Holds what the properties share, made on first use: the problem, the golden result and
// the plain run, so that eight properties of a case cost one golden result.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "properties/runner.hpp"
#include "properties/verdict.hpp"
#include "reference/golden.hpp"
#include "reference/problem.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties {

struct TrialOptions {
  double timeout_seconds = 30;  // of one run of the kernel
  int threads = 1;              // of the golden model; changes no result
  bool filters = true;          // golden: look for suspects that no element alone shows (doc/filters.md)
};

class Trial {
 public:
  // `run` is the case and how its plain run is made; its kernel is only what the run line of a verdict says.
  Trial(reference::RunLine run, Runner& runner, TrialOptions options = {});

  const reference::Case& subject() const { return run_line_.subject; }
  const reference::RunLine& run_line() const { return run_line_; }
  const TrialOptions& options() const { return options_; }
  const xqacheck_description& kernel() { return runner_.description(); }
  Runner& runner() { return runner_; }

  // May throw reference::CaseError or std::bad_alloc.
  const reference::Problem& problem();
  xqacheck_problem view() { return problem().view(nullptr, nullptr); }
  const reference::Golden& golden();  // bounds by the numerics that the kernel declares
  const Outcome& plain_run();         // as the run line says

  // True once the plain run crashed, hung, failed or was refused: other properties have nothing to compare with.
  bool plain_run_failed() const { return plain_ && plain_->status != RunStatus::ok; }

  Outcome run(const reference::Problem& problem, const RunOptions& options) { return runner_.run(problem, options); }
  RunOptions run_options() const;  // those of the plain run, to be changed by a property

 private:
  reference::RunLine run_line_;
  Runner& runner_;
  TrialOptions options_;
  std::optional<reference::Problem> problem_;
  std::optional<reference::Golden> golden_;
  std::optional<Outcome> plain_;
};

}  // namespace xqacheck::properties
