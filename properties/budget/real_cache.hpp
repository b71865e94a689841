// K and V of a problem as they were before they were quantised: one float for every element of the pools, at the element's
// own offset. For the golden result on real inputs, and for emulations with the cache's rounding off.
#pragma once

#include <string>
#include <vector>

#include "reference/problem.hpp"

namespace xqacheck::properties::budget {

class RealCache {
 public:
  // Of the case that `problem` was made from. Throws UsageError for cases whose cache is not a function of the tokens alone:
  // shared or aliased pages, beams, fused RoPE (why_not() has the reason).
  explicit RealCache(const reference::Problem& problem);

  // Empty if the case has a real cache.
  static std::string why_not(const reference::Case& subject);

  // Real values at the offsets of the stored ones; K and V in one vector where they share a pool.
  const std::vector<float>& k() const { return k_; }
  const std::vector<float>& v() const { return v_.empty() ? k_ : v_; }

  // `view` with fp32 K and V of scale 1 in place of the stored ones.
  xqacheck_problem real_view(xqacheck_problem view) const;

  // The same numbers divided by the scales: what an emulator's ExactInputs are.
  std::vector<float> in_cache_units(bool is_v) const;

 private:
  std::vector<float> k_, v_;
  float k_scale_, v_scale_;
};

}  // namespace xqacheck::properties::budget
