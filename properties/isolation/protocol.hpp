// Payloads of the messages in wire.hpp. Both sides are built together; kProtocol catches a worker binary of another
// build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/description.hpp"
#include "kernels/plugin.hpp"
#include "properties/isolation/slots.hpp"
#include "properties/isolation/wire.hpp"

namespace xqacheck::properties::isolation {

// Raised whenever a struct below, the texts after it, the control page or the slot order changes.
inline constexpr std::uint32_t kProtocol = 4;

struct CaseRequest {
  SlotPlan plans[kSlotCount];  // scratch and state are planned by the worker
  std::uint64_t problem_bytes = 0;
  Placement place = Placement::plain;
  Fill scratch = Fill::nan;
  std::uint8_t keep_scratch = 0;  // 1: scratch keeps what the run before left in it
  Launching launching = Launching::plain;
  std::uint32_t runs = 1;
  std::uint32_t schedule = 0;
  std::uint64_t fill_seed = 0;
};

// Part of a sparse tensor that holds data; the rest is zero and takes no memory unless somebody reads it. Follows a
// CaseRequest: their number (32 bits), then each.
struct WrittenRange {
  std::uint32_t slot = 0;
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0, bytes = 0;  // from the first byte of the tensor
};

struct DoneReport {
  RunStatus status = RunStatus::error;
  std::uint8_t state_left_zero = 1;
  std::uint8_t tainted = 0;  // the worker must not be used again
  std::uint8_t reserved = 0;
  std::uint32_t splits = 0;
  std::uint64_t state_bad_offset = 0;  // first byte of state that is not zero
  double seconds = 0;
  SlotPlan scratch, state;
};

struct GoneReport {
  std::int32_t wait_status = 0;  // as of waitpid()
  std::uint32_t strays = 0;      // processes that the worker had started and that had to be killed
};

struct LoadedReport {
  std::uint32_t protocol = kProtocol;
  std::uint64_t base = 0;  // address of slot 0 in the worker
  std::string device;      // "host", or the GPU's name
  kernels::LoadedModule module;
  std::vector<kernels::OwnedDescription> kernels;  // all that the plug-in holds, or the chosen one only

  void pack(Packer& packer) const;
  bool unpack(Unpacker& unpacker);  // false: not one of ours
};

}  // namespace xqacheck::properties::isolation
