// The launch seam on the PTX machine: kernels run on the CPU, from PTX, with every access checked.
//
// Streams run in the order of their launches, when the host asks for a result (synchronize, download) or changes
// memory; launches that wait together on a stream may overlap as programmatic dependent launch allows. Graphs are lists
// of launches. Findings of the checks are errors of the device: after one it is lost, as after a fault on a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "emulation/ptx/schedule/schedule.hpp"
#include "kernels/launch/seam.hpp"

namespace xqacheck::properties::ptx {

struct PtxDeviceOptions {
  bool checks = true;
  std::uint32_t threads = 1;  // that run CTAs; without checks and in order only
  xqacheck::ptx::ScheduleSpec schedule;
};

// XQACHECK_PTX_SCHEDULE ("random:17", default in_order), XQACHECK_PTX_CHECKS ("on", "off"; `checks` if it is not set) and XQACHECK_PTX_THREADS of the
// environment. Throws std::invalid_argument for a schedule that does not exist and for threads that are no number from
// 1 to 256.
PtxDeviceOptions ptx_options_of_environment(bool checks = true);

std::unique_ptr<kernels::launch::Device> open_ptx_device(const PtxDeviceOptions& options);

}  // namespace xqacheck::properties::ptx
