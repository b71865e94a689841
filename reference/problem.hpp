// Problem: a case made concrete. Owns every host tensor, immutable once made; `view()` is what a kernel, the golden
// model and the emulators get. Bytes are a pure function of the case: equal on any compiler, thread count and machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/case.hpp"
#include "reference/host_buffer.hpp"

namespace xqacheck::reference {

// The tensors of a problem by name; the order is the order in buffers, recordings and reports.
enum class TensorId : std::uint8_t {
  q,
  k,
  v,
  page_table,
  seq_lens,
  mask,
  depths,
  row_offsets,
  sinks,
  beam_index,
  beam_context,
  rope_table,
  k_new,
  v_new,
  qkv_bias,
  q_scale,
  k_scale,
  v_scale,
  rcp_out_scale,
  out,
  lse,
  count
};
const char* name_of(TensorId id);

struct Problem {
  Case source;  // the case it was made from (default for recordings)
  HostBuffer
      tensors[static_cast<int>(TensorId::count)];  // empty where absent; k holds the pool of both for layout pool / MLA
  xqacheck_problem description{};                  // sizes, strides, dtypes, flags; tensor pointers are set by view()

  const HostBuffer& tensor(TensorId id) const { return tensors[static_cast<int>(id)]; }
  HostBuffer& tensor(TensorId id) { return tensors[static_cast<int>(id)]; }

  // The C view with pointers into `tensors`. The output is not owned: `out` and `lse` must hold out_bytes() /
  // lse_bytes(). Alignments named are those any placement of the buffers keeps: 16 bytes for q, k, v and out, that of
  // the element otherwise.
  xqacheck_problem view(void* out, void* lse) const;
  std::size_t out_bytes() const;
  std::size_t lse_bytes() const;  // 0 when not asked for

  // A deep copy to be changed: what properties build their variants from.
  Problem clone() const;
};

// Throws CaseError (reference/case_line.hpp) when the case contradicts itself or its file is not what it should be,
// std::bad_alloc when it does not fit into this machine's memory.
Problem make_problem(const Case& source);

// Multiprocessors that view() names where nobody asked for a number: those of an H100 SXM.
inline constexpr std::uint32_t kDefaultSmCount = 132;

}  // namespace xqacheck::reference
