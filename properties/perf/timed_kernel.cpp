#include "properties/perf/timed_kernel.hpp"

#include <algorithm>

namespace xqacheck::properties::perf {

TimedKernel::TimedKernel(kernels::launch::Device& device, kernels::launch::Stream& stream, const xqacheck_kernel& kernel,
                         const cuda::DeviceProblems& copies, const MeasureOptions& options)
    : device_(device), stream_(stream), kernel_(device, stream, kernel, copies, options.forced_splits) {
  timing_.kernel = kernel_.name();
  timing_.version = kernel.describe()->version != nullptr ? kernel.describe()->version : "";
  timing_.refused = kernel_.refused();
  timing_.splits = kernel_.splits();
  timing_.compiled = kernel_.compiled();
  if (!accepted()) return;
  const auto count = static_cast<std::uint32_t>(kernel_.count());
  const std::uint32_t rounds = (std::max(options.launches, 1u) + count - 1) / count;
  timing_.launches = rounds * count;
  launch_each();  // the first launch of a module is slow, and a fault must not be met inside a capture
  device_.synchronize(stream_);
  if (!options.in_graph) return;
  device_.begin_capture(stream_);
  for (std::uint32_t i = 0; i < rounds; ++i) launch_each();
  graph_ = device_.end_capture(stream_);
}

void TimedKernel::launch_each() {
  for (std::size_t i = 0; i < kernel_.count(); ++i) kernel_.run(i);
}

void TimedKernel::run_sample() {
  if (graph_ != nullptr) {
    device_.replay(*graph_, stream_);
    return;
  }
  for (std::uint32_t done = 0; done < timing_.launches; done += static_cast<std::uint32_t>(kernel_.count())) launch_each();
}

}  // namespace xqacheck::properties::perf
