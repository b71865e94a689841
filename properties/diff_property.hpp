// diff: two builds of a kernel give the same bits. Not a law of one kernel, so it is not in the registry: the runner of
// its trials is a PairRunner.
#pragma once

#include <memory>

#include "properties/property.hpp"

namespace xqacheck::properties {

// Runs one kernel, and has a second one at hand.
class PairRunner final : public Runner {
 public:
  PairRunner(std::unique_ptr<Runner> first, std::unique_ptr<Runner> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  Outcome run(const reference::Problem& problem, const RunOptions& options) override {
    return first_->run(problem, options);
  }
  const xqacheck_description& description() override { return first_->description(); }
  Runner& second() { return *second_; }

 private:
  std::unique_ptr<Runner> first_, second_;
};

// A refusal by both is UNSUPPORTED; a refusal, crash or hang of only one is a difference.
extern const Property diff_property;

}  // namespace xqacheck::properties
