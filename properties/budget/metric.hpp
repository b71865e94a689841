// Metrics of a budget: the numbers that one sample (one seed of a configuration) is summed up in. doc/fp8-budgets.md
// has their definitions in words; fault.hpp-like directions are those of doc/filters.md.
//
// Three references, because "the error" has three meanings:
//   real      the real-valued K and V, before they were quantised: what a user of the model sees
//   stored    the cache as it is, q as given: what the kernel adds
//   declared  the cache as it is, q rounded as the kernel declares: what the kernel's arithmetic adds
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace xqacheck::properties::budget {

enum class Metric : std::uint8_t {
  // -- against the real inputs --
  rel_l2,       // |error| / |reference|, over all elements
  nmse,         // its square
  cosine,       // 1 - cosine of the angle between output and reference
  bias,         // mean error / root mean square of the reference
  ulp_p999,     // 99.9-percentile of |error| in units of the output grid at the reference
  ulp_max,      // largest of these
  draft_flips,  // share of draft tokens whose verdict flips (draft_proxy.hpp)
  draft_shift,  // expected loss of acceptance of sampled draft tokens
  // -- against the stored cache --
  stored_l2,
  // -- against the stored cache with q as the kernel rounds it --
  declared_l2,
  sigma_p999,     // 99.9-percentile of |error| in standard deviations of the error model
  sigma_max,      // largest of these
  score_gain,     // relative error of the softmax scale that fits the error best
  output_gain,    // relative error of the output scale that fits it best
  first_token,    // how much the error looks like the oldest visible token missing: 0 not at all, 1 wholly
  last_token,     // … the newest token
  loudest_token,  // the token that the error looks most like missing, in standard deviations
  // -- attention weights, for kernels with a recipe --
  logit_rms,   // root mean square error of the scores (natural-log units)
  logit_max,   // largest
  weights_tv,  // total-variation distance of the weights of a row, mean over rows
  top1_flips,  // share of rows whose heaviest token is another one
  count
};
inline constexpr std::size_t kMetrics = static_cast<std::size_t>(Metric::count);

// What kind of number: decides how samples are averaged, how far the mean is known, and what a change means.
enum class Kind : std::uint8_t {
  size,     // >= 0, a change is a factor: intervals on logarithms
  balance,  // of either sign, best at 0: a change is a difference
  share     // in [0, 1]
};

// What `check` demands of the metric.
enum class Gate : std::uint8_t {
  shown,  // nothing: too wild from seed to seed, or told by another metric
  limit,  // the mean stays below its limit
  change  // and does not rise against what was measured on the same inputs
};

struct MetricInfo {
  const char* key;
  const char* text;
  Kind kind;
  Gate gate;
  // Change that is tolerated, and the smallest that must be seen for the check to mean anything: factors - 1 for sizes,
  // differences for the others.
  double tolerated = 0, detected = 0;
  // Change on equal inputs that samples are chosen for (0: `detected`): smaller where pairs have little noise.
  double resolved = 0;
  // Limits by rule are not below this. Metrics in standard deviations of the declared error model: what errors that
  // obey the model reach by chance is never too much, however far below it a kernel happened to be when it was
  // measured.
  double harmless = 0;
};

const MetricInfo& info_of(Metric metric);
std::optional<Metric> metric_named(std::string_view key);

// One value a metric; NaN where the metric does not exist for the kernel or the configuration.
struct MetricValues {
  std::array<double, kMetrics> values;
  MetricValues() { values.fill(std::numeric_limits<double>::quiet_NaN()); }
  double& operator[](Metric m) { return values[static_cast<std::size_t>(m)]; }
  double operator[](Metric m) const { return values[static_cast<std::size_t>(m)]; }
};

}  // namespace xqacheck::properties::budget
