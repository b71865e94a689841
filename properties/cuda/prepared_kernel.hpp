// A kernel in this process, prepared on one or more problems in device memory: supports, prepare, workspace, run, destroy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/seam.hpp"
#include "properties/cuda/device_problem.hpp"

namespace xqacheck::properties::cuda {

using DeviceProblems = std::vector<std::unique_ptr<DeviceProblem>>;

class PreparedKernel {
 public:
  // A refusal of the kernel is kept in refused(). Throws std::runtime_error naming kernel and step where the kernel
  // reports an error, DeviceError for what the device reports. Scratch has the exact size and is left uninitialised;
  // state is zero. All problems share both: their runs follow each other on `stream`.
  PreparedKernel(kernels::launch::Device& device, kernels::launch::Stream& stream, const xqacheck_kernel& kernel,
                 const DeviceProblems& problems, std::uint32_t forced_splits = 0);
  ~PreparedKernel();  // waits for the stream
  PreparedKernel(const PreparedKernel&) = delete;
  PreparedKernel& operator=(const PreparedKernel&) = delete;

  const std::string& name() const { return name_; }
  const std::string& refused() const { return refused_; }  // "" where the kernel takes the problems
  const std::string& compiled() const { return compiled_; }  // keys of the machine code compiled at run time
  std::uint32_t splits() const { return splits_; }
  std::size_t count() const { return bound_.size(); }

  void run(std::size_t problem);

 private:
  // A problem with the instance that was prepared for its addresses.
  struct Bound {
    xqacheck_problem problem;
    xqacheck_instance* instance = nullptr;
  };

  [[noreturn]] void fail(const char* step, const char* why) const;
  bool bind(const DeviceProblems& problems, std::uint32_t forced_splits);
  void provide_workspace();
  void release() noexcept;

  kernels::launch::Device& device_;
  kernels::launch::Stream& stream_;
  const xqacheck_kernel& kernel_;
  std::string name_, refused_, compiled_;
  std::uint32_t splits_ = 0;
  std::vector<Bound> bound_;
  std::unique_ptr<kernels::launch::Buffer> scratch_, state_;
  xqacheck_launch launch_{};
};

}  // namespace xqacheck::properties::cuda
