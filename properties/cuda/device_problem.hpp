// A problem in device memory without a worker process: what `perf` times and `run` hands to a profiler or sanitizer.
// Every tensor lies in an allocation of its exact size, without canaries, so that memcheck sees one byte too far.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/launch/seam.hpp"
#include "properties/cuda/mirror.hpp"
#include "reference/problem.hpp"

namespace xqacheck::properties::cuda {

class DeviceProblem {
 public:
  // Allocates, uploads the inputs and waits for them. Output and LSE are left as the device gave them: initcheck sees
  // who reads them. `problem` must outlive this.
  DeviceProblem(kernels::launch::Device& device, kernels::launch::Stream& stream, const reference::Problem& problem);
  // The same problem at other addresses, copied within the device.
  DeviceProblem(const DeviceProblem& other, kernels::launch::Stream& stream);

  const xqacheck_problem& view() const { return mirror_->problem(); }
  std::uint64_t bytes() const { return bytes_; }  // of all tensors

  void download();  // output and LSE into out() and lse(); waits
  const std::vector<std::byte>& out() const { return out_; }
  const std::vector<std::byte>& lse() const { return lse_; }

 private:
  void lay_out();

  kernels::launch::Device& device_;
  kernels::launch::Stream& stream_;
  const reference::Problem& problem_;
  std::vector<std::byte> out_, lse_;
  std::unique_ptr<Mirror> mirror_;
  std::uint64_t bytes_ = 0;
};

}  // namespace xqacheck::properties::cuda
