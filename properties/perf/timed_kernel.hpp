// One kernel prepared on every copy of a problem, ready to be launched on one after the other.
#pragma once

#include <memory>

#include "properties/cuda/prepared_kernel.hpp"
#include "properties/perf/measure.hpp"

namespace xqacheck::properties::perf {

class TimedKernel {
 public:
  // Prepares the kernel, launches it once on each copy, and captures a sample. A refusal is kept in timing().refused;
  // errors are thrown as by PreparedKernel.
  TimedKernel(kernels::launch::Device& device, kernels::launch::Stream& stream, const xqacheck_kernel& kernel,
              const cuda::DeviceProblems& copies, const MeasureOptions& options);

  bool accepted() const { return timing_.refused.empty(); }
  std::uint32_t launches() const { return timing_.launches; }
  const Timing& timing() const { return timing_; }

  void run_sample();  // `launches()` launches, over all copies in turn

 private:
  void launch_each();

  kernels::launch::Device& device_;
  kernels::launch::Stream& stream_;
  cuda::PreparedKernel kernel_;
  std::unique_ptr<kernels::launch::Graph> graph_;  // null: launched one by one
  Timing timing_;
};

}  // namespace xqacheck::properties::perf
