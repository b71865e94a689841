// Samples of a configuration: its case with one seed after the other, run and measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulation/kernels/recipe.hpp"
#include "properties/budget/measures.hpp"
#include "properties/campaign.hpp"
#include "properties/outcome.hpp"

namespace xqacheck::properties::budget {

struct Sample {
  std::uint64_t seed = 0;  // tensors from a file: number of the (request, KV head)
  Measured measured;
  std::uint64_t out_hash = 0;  // hash_of_output()
};

// A configuration is a run line without seed: case, kernel, split plan.
struct SampleSet {
  std::vector<Sample> samples;  // in the order of the seeds
  Route route;                  // of the first run
  RunStatus status = RunStatus::ok;
  std::string why;              // why there are no samples: refused, crashed …; the first run that gave nothing ends it
  std::uint64_t failing_seed = 0;
  std::uint64_t elements = 0;   // of one sample
  double seconds = 0;
};

struct SamplingOptions {
  double timeout_seconds = 60;
  bool attention = true;  // logits and weights, for kernels with a recipe
};

// Seeds [first, first + count) on the runners, one thread a runner. Tensors from a file have no seeds: one run, one sample
// a (request, KV head), whatever is asked for. Throws UsageError for configurations that RealCache refuses, CaseError
// for those that contradict themselves.
SampleSet take_samples(const reference::RunLine& configuration, Runners& runners, std::uint64_t first,
                       std::uint64_t count, const SamplingOptions& options = {});

// The recipe that the kernel declares, if there is an emulator for its family.
std::optional<emulation::Recipe> recipe_of(const xqacheck_description& kernel);

// The values of one metric over the samples; NaN values are left out.
std::vector<double> values_of(const std::vector<Sample>& samples, Metric metric);

}  // namespace xqacheck::properties::budget
