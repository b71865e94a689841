// The metrics of one observation (metric.hpp), over all its lines or some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/budget/attention_weights.hpp"
#include "properties/budget/metric.hpp"
#include "properties/budget/observation.hpp"
#include "properties/budget/signature.hpp"

namespace xqacheck::properties::budget {

struct Measured {
  MetricValues values;
  Signature signature{};         // of the error against `declared`
  std::uint64_t elements = 0;    // measured
  std::uint64_t not_finite = 0;  // outputs that are NaN or Inf: values are then NaN
  std::int64_t loudest_request = -1, loudest_token = -1;  // of Metric::loudest_token
};

// `weights`: of weight_errors(), empty for kernels without a recipe.
Measured measure(const Observation& o, const Lines& lines, const std::vector<WeightError>& weights);

}  // namespace xqacheck::properties::budget
