// Problem: a case made concrete. Owns every host tensor, immutable once made; `view()` is what a kernel, the golden model
// and the emulators get. Bytes are a pure function of the case: equal on any compiler, thread count and machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/case.hpp"

namespace xqacheck::reference {

// The tensors of a problem by name; the order is the order in buffers, recordings and reports.
enum class TensorId : std::uint8_t {
  q, k, v, page_table, seq_lens, mask, depths, row_offsets, sinks, beam_index, beam_context,
  rope_table, k_new, v_new, qkv_bias, q_scale, k_scale, v_scale, rcp_out_scale, out, lse, count
};
const char* name_of(TensorId id);

// Zero-initialised host memory, 256-byte aligned.
class HostBuffer {
 public:
  HostBuffer() = default;
  explicit HostBuffer(std::size_t bytes);
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  template <class T> T* as() { return reinterpret_cast<T*>(data_.get()); }
  template <class T> const T* as() const { return reinterpret_cast<const T*>(data_.get()); }

 private:
  struct Free { void operator()(std::byte* p) const; };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
};

struct Problem {
  Case source;                                     // the case it was made from (default for recordings)
  HostBuffer tensors[static_cast<int>(TensorId::count)];  // empty where absent; k holds the pool of both for layout pool / MLA
  xqacheck_problem description{};                  // sizes, strides, dtypes, flags; tensor pointers are set by view()

  const HostBuffer& tensor(TensorId id) const { return tensors[static_cast<int>(id)]; }
  HostBuffer& tensor(TensorId id) { return tensors[static_cast<int>(id)]; }

  // The C view with pointers into `tensors`. The output is not owned: `out` and `lse` must hold out_bytes() / lse_bytes().
  xqacheck_problem view(void* out, void* lse) const;
  std::size_t out_bytes() const;
  std::size_t lse_bytes() const;  // 0 when not asked for
};

// Throws CaseError (reference/case_line.hpp) when the case contradicts itself, std::bad_alloc when it does not fit.
Problem make_problem(const Case& source);

}  // namespace xqacheck::reference
