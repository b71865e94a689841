// Launch arguments of the public mma.sync XQA kernel for a recorded call. The order and meaning of the parameters are
// facts of the public launcher (FlashInfer csrc/xqa at fb28d7242); doc/ptx-machine.md has them as a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/ptx/machine/loaded_module.hpp"
#include "emulation/recording/recording.hpp"

namespace xqacheck::ptx {

// What of a recording decides which compiled kernel fits: "hmma_bf16_kv0_d128g8_p32_win_lp_sd". kv0: the type of q,
// kv1: int8, kv2: e4m3. A file of that name with .ptx holds the kernel.
std::string xqa_configuration(const emulation::Recording& recording);

// Device memory of one call, filled from the recording: inputs are read-only, the output and scratch are uninitialised,
// semaphores are zero.
class XqaCall {
 public:
  XqaCall(Machine& machine, LoadedModule& module, const emulation::Recording& recording);
  ~XqaCall();
  XqaCall(const XqaCall&) = delete;
  XqaCall& operator=(const XqaCall&) = delete;

  const Launch& launch() const { return launch_; }
  void reset();  // scratch and output uninitialised again, semaphores zero
  std::vector<std::byte> output() const;
  bool semaphores_are_zero() const;

 private:
  std::uint64_t place(const std::string& name, const void* data, std::uint64_t bytes);
  void build_parameters(const emulation::Recording& recording);

  Machine& machine_;
  Launch launch_;
  std::vector<std::uint64_t> buffers_;
  std::uint64_t out_ = 0, out_bytes_ = 0, scratch_ = 0, scratch_bytes_ = 0, semaphores_ = 0, semaphore_bytes_ = 0;
};

}  // namespace xqacheck::ptx
