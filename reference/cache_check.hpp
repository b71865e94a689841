// What a kernel that appends tokens must have left in the cache (doc/golden.md G12, G13), and whether it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::reference {

struct CacheFault {
  bool v = false;                                                // in V, else in K
  std::uint32_t request = 0, row = 0, kv_head = 0, channel = 0;  // row: of q and k_new
  std::int64_t token = 0;
  std::uint64_t element = 0;  // index into the tensor
  double got = 0, want = 0;   // stored numbers, scales not applied; want is not rounded
  double bound = 0;           // what |got - want| may be: rounding to the cache format and the kernel's own arithmetic
};

// Checks every appended number in `k` and `v`, the bytes of problem.k and problem.v after the run. Nothing is appended
// by problems without k_new. `most`: faults returned; `checked` (may be NULL) gets the count of numbers looked at.
// Throws as golden() does, and std::out_of_range when the bytes do not hold a token.
std::vector<CacheFault> check_cache(const xqacheck_problem& problem, const std::byte* k, std::size_t k_bytes,
                                    const std::byte* v, std::size_t v_bytes, std::size_t most = 16,
                                    std::uint64_t* checked = nullptr);

}  // namespace xqacheck::reference
