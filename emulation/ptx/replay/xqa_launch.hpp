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

// The entry of the module; PtxError where there is more than one.
std::string xqa_kernel_name(const Module& module);
// Bytes of dynamic shared memory: the module's variable smemSize. PtxError where there is none.
std::uint32_t xqa_shared_bytes(const Module& module);

struct XqaGeometry {
  Extent grid, block;
  std::uint64_t out_bytes = 0, scratch_bytes = 0, semaphore_bytes = 0;
};
XqaGeometry xqa_geometry(const emulation::Recording& recording);

// Where the tensors of a call lie on the device; 0 where a call has none.
struct XqaAddresses {
  std::uint64_t out = 0, scratch = 0, semaphores = 0;
  std::uint64_t q = 0, k = 0, v = 0, pages = 0, lengths = 0, sinks = 0, mask = 0, offsets = 0;
};
// Calls place(name, tensor's id, bytes) for every input of the call and keeps the addresses.
template <class Place>
void place_inputs(const emulation::Recording& recording, XqaAddresses& at, Place place) {
  using reference::TensorId;
  const xqacheck_problem& p = recording.problem.description;
  at.q = place("q", TensorId::q, p.q.bytes);
  at.k = place("k", TensorId::k, p.k.bytes);
  at.v = place("v", TensorId::v, p.v.bytes);
  at.pages = place("page_table", TensorId::page_table, p.page_table.bytes);
  at.lengths = place("seq_lens", TensorId::seq_lens, p.seq_lens.bytes);
  at.sinks = place("sinks", TensorId::sinks, p.sinks.bytes);
  at.mask = place("mask", TensorId::mask, p.mask.bytes);
  at.offsets = place("q_cu_seq_lens", TensorId::row_offsets, p.row_offsets.bytes);
}
// All parameters as PTX lays them out.
std::vector<std::byte> xqa_parameters(const emulation::Recording& recording, const XqaAddresses& at);

// Device memory of one call on the machine, filled from the recording: inputs are read-only, the output and scratch are
// uninitialised, semaphores are zero.
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

  Machine& machine_;
  Launch launch_;
  std::vector<std::uint64_t> buffers_;
  XqaGeometry geometry_;
  XqaAddresses at_;
};

}  // namespace xqacheck::ptx
