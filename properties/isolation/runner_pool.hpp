// RunnerPool: several runners side by side (`--jobs N`). Which runner gets which item depends on the item's number
// alone, so that every run of a list of cases gives each worker the same history.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "properties/runner.hpp"

namespace xqacheck::properties {

class RunnerPool {
 public:
  using Factory = std::function<std::unique_ptr<Runner>()>;

  // Makes `jobs` runners (0 counts as 1); what the factory throws is passed on.
  RunnerPool(std::size_t jobs, const Factory& factory);

  std::size_t jobs() const { return runners_.size(); }
  Runner& runner(std::size_t job) { return *runners_[job]; }

  // body(item, runner) for every item below `count`: item i on runner i % jobs, ascending on each. Returns when all are
  // done. When bodies throw, items above the lowest that threw are not begun any more, and its exception is thrown.
  void for_each(std::size_t count, const std::function<void(std::size_t item, Runner& runner)>& body);

 private:
  std::vector<std::unique_ptr<Runner>> runners_;
};

}  // namespace xqacheck::properties
