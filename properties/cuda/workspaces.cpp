#include "properties/cuda/workspaces.hpp"

#include <bit>

namespace xqacheck::properties::cuda {

void* DeviceWorkspaces::mirror(std::unique_ptr<MirroredWindow>& mirrored, const char* name, void* host,
                               const isolation::SlotPlan& plan, bool undefined) {
  mirrored.reset();
  if (plan.bytes == 0) return nullptr;
  const isolation::Window window{name,
                                 static_cast<std::byte*>(host) - (plan.data - plan.map_begin),
                                 plan.data - plan.map_begin,
                                 plan.bytes,
                                 plan.map_end - plan.data - plan.bytes,
                                 plan.align,
                                 true,
                                 false,
                                 {},
                                 undefined};
  mirrored = std::make_unique<MirroredWindow>(device_, window, place_);
  mirrored->upload(stream_);
  return std::bit_cast<void*>(mirrored->data());
}

std::string DeviceWorkspaces::provide(const xqacheck_workspace& sizes, void** scratch, void** state) {
  void* host_scratch = nullptr;
  void* host_state = nullptr;
  if (std::string fault = host_.provide(sizes, &host_scratch, &host_state); !fault.empty()) return fault;
  try {
    *scratch = mirror(scratch_, "scratch", host_scratch, progress_.scratch, true);
    *state = mirror(state_, "state", host_state, progress_.state, false);
    device_.synchronize(stream_);
  } catch (const kernels::launch::DeviceError& error) {
    return error.what();
  }
  return "";
}

std::int64_t DeviceWorkspaces::nonzero_state() {
  if (state_ == nullptr) return -1;
  state_->download(stream_);
  device_.synchronize(stream_);
  return host_.nonzero_state();
}

void DeviceWorkspaces::bring_back() {
  if (scratch_ != nullptr) scratch_->download(stream_);
  if (state_ != nullptr) state_->download(stream_);
  device_.synchronize(stream_);
}

}  // namespace xqacheck::properties::cuda
