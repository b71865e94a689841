// A kernel of no arithmetic for the tests of loading and isolation: out is a copy of q. Faulty kernels replace one of
// its functions. Includes only the ABI, as any plug-in would.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "kernels/abi/xqacheck_kernel.h"

namespace plain {

inline xqacheck_status supports(const xqacheck_problem* p, char* why, size_t why_bytes) {
  if (p->out.dtype == p->q.dtype && p->head_dim == p->head_dim_v) return XQACHECK_OK;
  std::strncpy(why, "out: only the dtype and head_dim of q are supported", why_bytes - 1);
  return XQACHECK_UNSUPPORTED;
}

inline xqacheck_status prepare(const xqacheck_problem*, xqacheck_instance** instance, char*, size_t) {
  static int dummy;
  *instance = reinterpret_cast<xqacheck_instance*>(&dummy);
  return XQACHECK_OK;
}

inline xqacheck_status workspace(xqacheck_instance*, const xqacheck_problem*, xqacheck_workspace* sizes) {
  *sizes = {300, 20, 4, 4};  // no multiples of anything
  return XQACHECK_OK;
}

// Both formats of q are two bytes wide.
inline void copy_rows(const xqacheck_problem* p) {
  for (std::uint32_t row = 0; row < p->total_rows; ++row)
    for (std::uint32_t head = 0; head < p->q_heads; ++head)
      std::memcpy(static_cast<char*>(p->out.data) + 2 * (row * p->out_stride_row + head * p->out_stride_head),
                  static_cast<const char*>(p->q.data) + 2 * (row * p->q_stride_row + head * p->q_stride_head),
                  2 * p->head_dim);
}

inline void write_lse(const xqacheck_problem* p) {
  auto* lse = static_cast<float*>(p->lse.data);
  for (std::uint32_t i = 0; lse != nullptr && i < p->total_rows * p->q_heads; ++i) lse[i] = static_cast<float>(i);
}

inline xqacheck_status run(xqacheck_instance*, const xqacheck_problem* p, const xqacheck_launch*) {
  copy_rows(p);
  write_lse(p);
  return XQACHECK_OK;
}

inline std::uint32_t split_plan(const xqacheck_problem* p) {
  return p->forced_splits != 0 ? p->forced_splits : 1;
}

inline void destroy(xqacheck_instance*) {}

inline xqacheck_description description(const char* name) {
  xqacheck_description d{};
  d.name = name;
  d.version = "test";
  d.memory = XQACHECK_HOST;
  d.deterministic = d.rows_independent = d.split_invariant_company = 1;
  return d;
}

inline xqacheck_kernel table(const xqacheck_description* (*describe)()) {
  return {
      XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe, supports, prepare, workspace, run, split_plan, destroy};
}

}  // namespace plain
