// The harness's own kernels (helpers.cu), compiled at the first use.
#pragma once

#include <memory>

#include "kernels/jit/compile.hpp"
#include "kernels/launch/seam.hpp"

namespace xqacheck::properties::cuda {

class HelperKernels {
 public:
  static kernels::jit::CompileRequest compile_request(const std::string& arch);
  explicit HelperKernels(kernels::launch::Device& device);

  // Writes `bytes` bytes at `to` from `from` by a kernel on the stream. `early`: the next kernel may start before they
  // are written.
  void produce(kernels::launch::Address to, kernels::launch::Address from, std::uint64_t bytes, bool early,
               kernels::launch::Stream& stream);
  // Starts the load on its own stream; it ends by itself after some milliseconds.
  void start_load();
  void end_load();

 private:
  kernels::launch::Device& device_;
  std::unique_ptr<kernels::launch::Module> module_;
  std::unique_ptr<kernels::launch::Function> produce_, hog_;
  std::unique_ptr<kernels::launch::Stream> load_stream_;
  std::unique_ptr<kernels::launch::Buffer> load_memory_;
};

}  // namespace xqacheck::properties::cuda
