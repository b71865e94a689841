// A runner whose kernel does not see the problem as it is: the golden result of a changed copy.
#pragma once

#include <functional>

#include "tests/properties/fake_runner.hpp"

namespace xqacheck::tests {

class DeafRunner final : public properties::Runner {
 public:
  using Mishear = std::function<void(reference::Problem&)>;
  explicit DeafRunner(Mishear mishear, FakeRunner::Spoil spoil = {})
      : mishear_(std::move(mishear)), inner_(std::move(spoil)) {}

  properties::Outcome run(const reference::Problem& problem, const properties::RunOptions& options) override {
    reference::Problem changed = problem.clone();
    if (mishear_) mishear_(changed);
    return inner_.run(changed, options);
  }
  const xqacheck_description& description() override { return inner_.description(); }
  xqacheck_description& declare() { return inner_.description_; }

 private:
  Mishear mishear_;
  FakeRunner inner_;
};

}  // namespace xqacheck::tests
