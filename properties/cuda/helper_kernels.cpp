#include "properties/cuda/helper_kernels.hpp"

#include "kernels/jit/cache.hpp"

namespace xqacheck::properties::cuda {

extern const char* const text_of_helpers_cu;

using kernels::launch::Address;
using kernels::launch::argument;

namespace {
constexpr std::uint64_t kLoadBytes = std::uint64_t{64} << 20;  // larger than the L2 of every supported GPU
constexpr unsigned long long kLoadCycles = 2'000'000;          // about a millisecond: longer than one small launch
constexpr unsigned kLateCycles = 20'000;  // a dependent that does not wait reads stale data for sure
}  // namespace

kernels::jit::CompileRequest HelperKernels::compile_request(const std::string& arch) {
  kernels::jit::CompileRequest request;
  request.source = {"helpers.cu", text_of_helpers_cu};
  request.arch = arch;
  return request;
}

HelperKernels::HelperKernels(kernels::launch::Device& device) : device_(device) {
  kernels::jit::KernelCache cache(kernels::jit::default_cache_directory());
  module_ = device.load(cache.get(compile_request(device.info().arch))->image);
  produce_ = device.function(*module_, "produce", 0);
  hog_ = device.function(*module_, "hog", 0);
}

void HelperKernels::produce(Address to, Address from, std::uint64_t bytes, bool early,
                            kernels::launch::Stream& stream) {
  const unsigned long long count = bytes;
  const unsigned allow = early ? 1 : 0, delay = early ? kLateCycles : 0;
  kernels::launch::LaunchSpec spec;
  spec.function = produce_.get();
  spec.grid = {early ? 1u : 64u, 1, 1};  // one block leaves room for the dependent to be resident while it waits
  spec.block = {256, 1, 1};
  spec.arguments = {argument(to), argument(from), argument(count), argument(allow), argument(delay)};
  device_.launch(spec, device_.native(stream));
}

void HelperKernels::start_load() {
  // The PTX machine runs one stream after the other: nothing it does can disturb another stream. Its schedules are what
  // load is on a GPU, and `rerun` asks for those; a run line with launch=load runs there as without.
  if (device_.info().arch.starts_with("compute_")) return;
  if (load_stream_ == nullptr) {
    load_stream_ = device_.stream();
    load_memory_ = device_.allocate(kLoadBytes, 16, kernels::launch::Guard::none);
  }
  const Address memory = load_memory_->address();
  const unsigned long long words = kLoadBytes / 4, cycles = kLoadCycles;
  kernels::launch::LaunchSpec spec;
  spec.function = hog_.get();
  spec.grid = {device_.info().sm_count, 1, 1};
  spec.block = {512, 1, 1};
  spec.arguments = {argument(memory), argument(words), argument(cycles)};
  device_.launch(spec, device_.native(*load_stream_));
}

void HelperKernels::end_load() {
  if (load_stream_ != nullptr) device_.synchronize(*load_stream_);
}

}  // namespace xqacheck::properties::cuda
