#include "properties/shrink.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "properties/reductions.hpp"

namespace xqacheck::properties {
namespace {

using reference::Case;

class Descent {
 public:
  Descent(const Case& failing, const StillFails& still_fails, const ShrinkLimits& limits)
      : still_fails_(still_fails), limits_(limits), start_(std::chrono::steady_clock::now()) {
    result_.smallest = failing;
  }

  Shrunk run() {
    while (step()) {
    }
    return result_;
  }

 private:
  bool known_to_pass(const Case& c) const { return std::find(passing_.begin(), passing_.end(), c) != passing_.end(); }

  bool exhausted() {
    result_.out_of_time =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > limits_.max_seconds;
    return result_.out_of_time || result_.tried >= limits_.max_tried;
  }

  // Candidates of the current case; the rule that succeeded last comes first, as it often succeeds again.
  std::vector<Reduction> candidates() const {
    std::vector<Reduction> all = reductions(result_.smallest);
    std::erase_if(all, [&](const Reduction& r) { return known_to_pass(r.simpler); });
    std::stable_partition(all.begin(), all.end(),
                          [&](const Reduction& r) { return last_rule_ && !std::strcmp(r.rule, last_rule_); });
    return all;
  }

  // One accepted reduction; false at a local minimum or when a limit is reached.
  bool step() {
    const std::vector<Reduction> all = candidates();
    const std::size_t batch = std::max(1u, limits_.batch);
    for (std::size_t first = 0; first < all.size(); first += batch) {
      if (exhausted()) return false;
      std::vector<Case> asked;
      for (std::size_t i = first; i < std::min(all.size(), first + batch); ++i) asked.push_back(all[i].simpler);
      const std::vector<bool> fails = still_fails_(asked);
      for (std::size_t i = 0; i < asked.size() && result_.tried < limits_.max_tried; ++i) {
        ++result_.tried;
        if (fails[i]) {
          result_.smallest = asked[i];
          ++result_.accepted;
          last_rule_ = all[first + i].rule;
          return true;
        }
        passing_.push_back(asked[i]);
      }
    }
    result_.local_minimum = result_.tried < limits_.max_tried || all.empty();
    return false;
  }

  const StillFails& still_fails_;
  const ShrinkLimits& limits_;
  const std::chrono::steady_clock::time_point start_;
  std::vector<Case> passing_;  // tried and found to pass: never asked again
  const char* last_rule_ = nullptr;
  Shrunk result_;
};

}  // namespace

Shrunk shrink(const Case& failing, const StillFails& still_fails, const ShrinkLimits& limits) {
  return Descent(failing, still_fails, limits).run();
}

}  // namespace xqacheck::properties
