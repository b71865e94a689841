#include "properties/budget/metric.hpp"

namespace xqacheck::properties::budget {
namespace {

// Tolerances: the faults that a gate must see at 4096 tokens (1 % scale, an accumulator bit, a token, a 16-bit merge)
// raise the norms by 6 % and more, a harmless change of recipe (P scale, order of sums) moves them by less than 2 %.
constexpr double kNormTolerated = 0.03, kNormDetected = 0.06;
// A scale that is 1 % off is 0.01 and must be seen. A 14-bit accumulator that loses a bit takes 0.0005 of the output at
// 4096 A scale that is 1 % off is 0.01 and must be seen. An accumulator that loses a bit takes 0.0001 of the output at
// 4096 tokens in 25 splits (0.0005 in one), which pairs resolve. What is tolerated comes from changes that are no
// faults: another order of sums, exponential, reciprocal or merge moves a gain by less than 1e-6 in the mean over
// pairs, and a wider accumulator takes it to 0, which is always allowed.
constexpr double kGainTolerated = 1e-5, kGainDetected = 0.008, kGainResolved = 1e-4;
// A missing token is 1.
constexpr double kTokenTolerated = 0.25, kTokenDetected = 0.75;

// Of 1,000 normal numbers one is beyond 3.3; of 100,000 tokens the largest is seldom beyond 5.
constexpr double kHarmlessPercentile = 3.3, kHarmlessToken = 5;

constexpr MetricInfo kTable[kMetrics] = {
    {"rel_l2", "relative L2 error", Kind::size, Gate::change, kNormTolerated, kNormDetected},
    {"nmse", "squared error over squared output", Kind::size, Gate::limit},
    {"cosine", "1 - cosine of the angle to the reference", Kind::size, Gate::limit},
    {"bias", "mean error over rms of the reference", Kind::balance, Gate::limit},
    // Elements near 0 have tiny ulps: the tail is too heavy for a limit (1 false alarm in 1,000 checks with other
    // seeds).
    {"ulp_p999", "99.9 % of the errors are below, in output ulps", Kind::size, Gate::shown},
    {"ulp_max", "largest error in output ulps", Kind::size, Gate::shown},
    {"draft_flips", "draft tokens whose greedy verdict flips", Kind::share, Gate::shown},
    {"draft_shift", "loss of acceptance of sampled draft tokens", Kind::size, Gate::limit},
    {"stored_l2", "relative L2 error without cache quantisation", Kind::size, Gate::change, kNormTolerated,
     kNormDetected},
    {"declared_l2", "relative L2 error of the kernel's arithmetic", Kind::size, Gate::change, kNormTolerated,
     kNormDetected},
    {"sigma_p999", "99.9 % of the errors are below, in sigmas of the model", Kind::size, Gate::limit, 0, 0, 0,
     kHarmlessPercentile},
    {"sigma_max", "largest error in sigmas of the model", Kind::size, Gate::shown},
    {"score_gain", "error of the softmax scale", Kind::balance, Gate::change, kGainTolerated, kGainDetected,
     kGainResolved},
    {"output_gain", "error of the output scale", Kind::balance, Gate::change, kGainTolerated, kGainDetected,
     kGainResolved},
    {"first_token", "share of the oldest token that is missing", Kind::balance, Gate::change, kTokenTolerated,
     kTokenDetected},
    {"last_token", "share of the newest token that is missing", Kind::balance, Gate::change, kTokenTolerated,
     kTokenDetected},
    {"loudest_token", "sigmas of the most suspicious token", Kind::size, Gate::limit, 0, 0, 0, kHarmlessToken},
    {"logit_rms", "rms error of the scores", Kind::size, Gate::limit},
    {"logit_max", "largest error of a score", Kind::size, Gate::shown},
    {"weights_tv", "total-variation distance of the attention weights", Kind::size, Gate::limit},
    {"top1_flips", "rows whose heaviest token is another one", Kind::share, Gate::shown},
};

}  // namespace

const MetricInfo& info_of(Metric metric) {
  return kTable[static_cast<std::size_t>(metric)];
}

std::optional<Metric> metric_named(std::string_view key) {
  for (std::size_t i = 0; i < kMetrics; ++i)
    if (key == kTable[i].key) return static_cast<Metric>(i);
  return std::nullopt;
}

}  // namespace xqacheck::properties::budget
