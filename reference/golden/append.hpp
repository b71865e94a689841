// Fused RoPE: the query rows after bias and rotation, and the new K and V as the cache must hold them afterwards
// (doc/golden.md G11 to G13), each with how far a correct kernel may be off.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/xqacheck_kernel.h"
#include "reference/golden/sequence.hpp"

namespace xqacheck::reference {

// Query heads of all rows: values[(row * q_heads + head) * head_dim + channel].
struct Queries {
  std::vector<double> values;
  std::vector<double> norm;   // [rows][q_heads] Euclidean norm of the values
  std::vector<double> slack;  // [rows][q_heads] norm of what a correct kernel's q may differ by
};

// New tokens in cache units (stored numbers, scale not applied), before and after rounding to the cache format.
// Index of K: (row * kv_heads + head) * head_dim + channel; of V the same with head_dim_v. Empty when nothing is
// appended.
struct Appended {
  std::vector<double> k, v;              // what the cache should hold
  std::vector<double> k_exact, v_exact;  // before rounding
  std::vector<double> k_slack, v_slack;  // how far a correct kernel's number before rounding may be off
  std::vector<double> k_gap;             // [rows][kv_heads] norm of what the rounded K row may differ by
  std::vector<double> v_gap;             // [rows][kv_heads] most that a channel of the rounded V row may differ by
  bool present() const { return !k.empty(); }
};

Queries make_queries(const xqacheck_problem& problem, const Sight& sight, std::uint32_t q_format);
Appended make_appended(const xqacheck_problem& problem, const Sight& sight);

}  // namespace xqacheck::reference
