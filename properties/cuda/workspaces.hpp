// Scratch and state on the device, filled and checked by the host workspaces that they mirror.
#pragma once

#include <memory>

#include "properties/cuda/mirror.hpp"

namespace xqacheck::properties::cuda {

class DeviceWorkspaces final : public isolation::Workspaces {
 public:
  DeviceWorkspaces(kernels::launch::Device& device, kernels::launch::Stream& stream, isolation::Workspaces& host,
                   const isolation::ControlPage& progress, Placement place)
      : device_(device), stream_(stream), host_(host), progress_(progress), place_(place) {}

  std::string provide(const xqacheck_workspace& sizes, void** scratch, void** state) override;
  std::int64_t nonzero_state() override;
  void freeze() override {}  // nobody else can write to device memory once the stream is idle

  // Scratch and state as the run left them, into the host's slots.
  void bring_back();

 private:
  void* mirror(std::unique_ptr<MirroredWindow>& mirrored, const char* name, void* host, const isolation::SlotPlan& plan,
               bool undefined);

  kernels::launch::Device& device_;
  kernels::launch::Stream& stream_;
  isolation::Workspaces& host_;
  const isolation::ControlPage& progress_;
  Placement place_;
  std::unique_ptr<MirroredWindow> scratch_, state_;
};

}  // namespace xqacheck::properties::cuda
