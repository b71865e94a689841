// KvView: a checked look through a problem's page tables and strides. Every index is compared with the sizes of the
// problem and every element offset with the extent of its tensor; what is wrong is thrown by name.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

struct GatherError : std::out_of_range {
  GatherError(std::string field_, const std::string& problem)
      : std::out_of_range(field_ + ": " + problem), field(std::move(field_)) {}
  std::string field;  // of xqacheck_problem
};

// Bytes of one element of an ABI dtype; 0 for XQACHECK_NONE and unknown values.
std::size_t bytes_of_abi(std::uint32_t dtype);

class KvView {
 public:
  // `problem` holds host pointers and must outlive the view.
  explicit KvView(const xqacheck_problem& problem) : p_(problem) {}

  std::uint32_t seq_len(std::uint32_t request) const;
  std::uint32_t rows(std::uint32_t request) const;       // query rows, beams not counted
  std::uint32_t first_row(std::uint32_t request) const;  // in q and out, beams counted
  // Beam whose cache holds token `token` of beam `beam`: beam 0 in the shared context, else by the index table.
  std::uint32_t source_beam(std::uint32_t request, std::uint32_t beam, std::uint32_t token) const;
  // Page of the token for K or V (contiguous: request * beam_width + source beam).
  std::uint64_t page(bool is_v, std::uint32_t request, std::uint32_t beam, std::uint32_t token) const;
  // Element offset of channel 0 into k.data or v.data, checked for all channels of the row.
  std::uint64_t k_row(std::uint32_t request, std::uint32_t beam, std::uint32_t token, std::uint32_t head) const;
  std::uint64_t v_row(std::uint32_t request, std::uint32_t beam, std::uint32_t token, std::uint32_t head) const;
  // Element offset of channel 0 into q.data.
  std::uint64_t q_row(std::uint32_t row, std::uint32_t head) const;

 private:
  std::uint64_t kv_row(bool is_v, std::uint32_t request, std::uint32_t beam, std::uint32_t token,
                       std::uint32_t head) const;
  const xqacheck_problem& p_;
};

}  // namespace xqacheck::reference
