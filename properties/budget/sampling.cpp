#include "properties/budget/sampling.hpp"

#include <omp.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>

#include "properties/output.hpp"

namespace xqacheck::properties::budget {
namespace {

// Samples are what runs in parallel here: teams of OpenMP threads below each of them would only wait for each other.
class OneThreadEach {
 public:
  OneThreadEach() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThreadEach() { omp_set_num_threads(before_); }
  OneThreadEach(const OneThreadEach&) = delete;
  OneThreadEach& operator=(const OneThreadEach&) = delete;

 private:
  int before_;
};

struct Shared {
  std::mutex mutex;
  std::atomic<std::uint64_t> next = 0;
  std::exception_ptr error;
  SampleSet set;
};

RunOptions run_options(const reference::RunLine& configuration, const SamplingOptions& options) {
  RunOptions run;
  run.plan = configuration.forced_splits(), run.timeout_seconds = options.timeout_seconds;
  return run;
}

// Runs one seed; fills in `slots`: one sample, or one a unit for tensors from a file.
void take(const reference::RunLine& configuration, std::uint64_t seed, Runner& runner, const SamplingOptions& options,
          Shared& shared, std::vector<Sample>& slots) {
  reference::Case subject = configuration.subject;
  subject.seed = seed;
  reference::Problem problem = reference::make_problem(subject);
  if (configuration.sm_count != 0) problem.description.sm_count = configuration.sm_count;
  const RealCache cache(problem);
  const Outcome outcome = runner.run(problem, run_options(configuration, options));
  if (outcome.status != RunStatus::ok) {
    const std::lock_guard lock(shared.mutex);
    if (shared.set.status == RunStatus::ok)
      shared.set.status = outcome.status, shared.set.why = outcome.why, shared.set.failing_seed = seed;
    return;
  }
  Observation o = make_observation(problem, cache, runner.description().numerics, 1);
  o.got = output_values(o.view, outcome);
  std::vector<WeightError> weights;
  if (const auto recipe = recipe_of(runner.description()); recipe && options.attention)
    weights = weight_errors(*recipe, o, cache);
  const std::vector<Lines> selections =
      subject.file.empty() ? std::vector<Lines>{all_lines(o)} : lines_by_unit(o);
  std::vector<Sample> samples;
  for (const Lines& lines : selections) {
    Sample sample;
    sample.seed = subject.file.empty() ? seed : samples.size();
    sample.measured = measure(o, lines, weights);
    sample.out_hash = hash_of_output(o.view, outcome);
    samples.push_back(sample);
  }
  const std::lock_guard lock(shared.mutex);
  if (shared.set.route.kernel.empty()) shared.set.route = outcome.route;
  shared.set.elements = samples.front().measured.elements;
  slots = std::move(samples);
}

}  // namespace

std::optional<emulation::Recipe> recipe_of(const xqacheck_description& kernel) {
  if (kernel.recipe == nullptr) return std::nullopt;
  const auto text = [](const char* string) { return std::string_view(string != nullptr ? string : ""); };
  const std::string_view family = text(kernel.recipe->family);
  if (family != "hmma" && family != "gmma") return std::nullopt;
  return emulation::parse_recipe(family, text(kernel.recipe->arch), text(kernel.recipe->toolkit),
                                 text(kernel.recipe->parameters));
}

SampleSet take_samples(const reference::RunLine& configuration, Runners& runners, std::uint64_t first,
                       std::uint64_t count, const SamplingOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (!configuration.subject.file.empty()) first = 0, count = 1;
  std::vector<std::vector<Sample>> slots(count);
  Shared shared;
  const auto work = [&](Runner& runner) {
    const OneThreadEach alone;
    try {
      for (std::uint64_t i = shared.next++; i < count; i = shared.next++)
        take(configuration, first + i, runner, options, shared, slots[i]);
    } catch (...) {
      const std::lock_guard lock(shared.mutex);
      if (!shared.error) shared.error = std::current_exception();
      shared.next = count;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < runners.size() && i < count; ++i) threads.emplace_back(work, std::ref(*runners[i]));
  work(*runners.front());
  for (std::thread& thread : threads) thread.join();
  if (shared.error) std::rethrow_exception(shared.error);
  SampleSet& set = shared.set;
  if (set.status == RunStatus::ok)
    for (auto& slot : slots)
      for (Sample& sample : slot) set.samples.push_back(std::move(sample));
  set.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(set);
}

std::vector<double> values_of(const std::vector<Sample>& samples, Metric metric) {
  std::vector<double> values;
  for (const Sample& sample : samples)
    if (const double x = sample.measured.values[metric]; !std::isnan(x)) values.push_back(x);
  return values;
}

}  // namespace xqacheck::properties::budget
