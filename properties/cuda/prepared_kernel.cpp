#include "properties/cuda/prepared_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "kernels/jit/used.hpp"

namespace xqacheck::properties::cuda {
namespace {

constexpr std::size_t kWhyBytes = 4096;
constexpr std::size_t kAnyAlign = 256;  // what device allocations have at least; kernels ask for less

}  // namespace

PreparedKernel::PreparedKernel(kernels::launch::Device& device, kernels::launch::Stream& stream,
                               const xqacheck_kernel& kernel, const DeviceProblems& problems,
                               std::uint32_t forced_splits)
    : device_(device), stream_(stream), kernel_(kernel), name_(kernel.describe()->name) {
  try {
    if (bind(problems, forced_splits)) provide_workspace();
  } catch (...) {
    release();
    throw;
  }
}

PreparedKernel::~PreparedKernel() {
  release();
}

void PreparedKernel::release() noexcept {
  try {
    device_.synchronize(stream_);  // nothing may still run on what the instances own
  } catch (const kernels::launch::DeviceError&) {
    // Whoever waited before has reported it; the instances are released all the same.
  }
  for (const Bound& bound : bound_)
    if (bound.instance != nullptr) kernel_.destroy(bound.instance);
  bound_.clear();
}

void PreparedKernel::fail(const char* step, const char* why) const {
  throw std::runtime_error(
      fmt::format("kernel {}: {} reports an error{}{}", name_, step, *why != '\0' ? ": " : "", why));
}

bool PreparedKernel::bind(const DeviceProblems& problems, std::uint32_t forced_splits) {
  std::vector<char> why(kWhyBytes, '\0');
  for (const auto& problem : problems) {
    Bound& bound = bound_.emplace_back(Bound{problem->view(), nullptr});
    if (forced_splits != 0) bound.problem.forced_splits = forced_splits;
    kernels::jit::take_used();  // what others compiled before
    xqacheck_status status = kernel_.supports(&bound.problem, why.data(), why.size());
    if (status == XQACHECK_OK) status = kernel_.prepare(&bound.problem, &bound.instance, why.data(), why.size());
    compiled_ = kernels::jit::take_used();
    why.back() = '\0';
    if (status == XQACHECK_UNSUPPORTED || status == XQACHECK_INVALID) {
      refused_ = *why.data() != '\0' ? why.data() : "no reason given";
      return false;
    }
    if (status != XQACHECK_OK) fail("prepare()", why.data());
  }
  splits_ = kernel_.split_plan(&bound_.front().problem);
  return true;
}

void PreparedKernel::provide_workspace() {
  xqacheck_workspace most{0, 0, 1, 1};
  for (const Bound& bound : bound_) {
    xqacheck_workspace sizes{};
    if (kernel_.workspace(bound.instance, &bound.problem, &sizes) != XQACHECK_OK) fail("workspace()", "");
    most.scratch_bytes = std::max(most.scratch_bytes, sizes.scratch_bytes);
    most.state_bytes = std::max(most.state_bytes, sizes.state_bytes);
  }
  if (most.scratch_bytes != 0) {
    scratch_ = device_.allocate(most.scratch_bytes, kAnyAlign, kernels::launch::Guard::none);
    device_.describe(scratch_->address(), scratch_->address(), most.scratch_bytes, "scratch", false);
    launch_.scratch = std::bit_cast<void*>(scratch_->address());
  }
  if (most.state_bytes != 0) {
    state_ = device_.allocate(most.state_bytes, kAnyAlign, kernels::launch::Guard::none);
    device_.describe(state_->address(), state_->address(), most.state_bytes, "state", false);
    device_.fill(state_->address(), 0, most.state_bytes, &stream_);
    launch_.state = std::bit_cast<void*>(state_->address());
  }
  launch_.stream = device_.native(stream_);
  device_.synchronize(stream_);
}

void PreparedKernel::run(std::size_t problem) {
  const Bound& bound = bound_.at(problem);
  if (kernel_.run(bound.instance, &bound.problem, &launch_) != XQACHECK_OK) fail("run()", "");
}

}  // namespace xqacheck::properties::cuda
