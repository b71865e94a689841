// A hand-made problem: no case line, no generated data, so that the kernel can be tested before anything else works.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/flash32/flash32.h"
#include "kernels/flash32/formats.hpp"

namespace xqacheck::tests {

// bf16 q, k, v and output; pages [page][token][kv head][channel], separate pools, identity page table, one head_dim.
struct SmallProblem {
  std::uint32_t q_heads = 2, kv_heads = 1, dim = 16, page = 8, max_rows = 1, capacity;
  std::vector<std::uint32_t> lens;
  std::vector<std::uint16_t> q, k, v, out;
  std::vector<std::int32_t> table;
  std::vector<float> lse, sinks;
  std::vector<std::uint32_t> mask;
  std::uint32_t window = 0, forced_splits = 0, mask_kind = XQACHECK_MASK_NONE;

  SmallProblem(std::vector<std::uint32_t> lengths, std::uint32_t rows = 1, std::uint32_t cap = 256)
      : max_rows(rows), capacity(cap), lens(std::move(lengths)) {
    const std::size_t pages = lens.size() * (capacity / page), cached = pages * page * kv_heads * dim;
    q.assign(lens.size() * rows * q_heads * dim, 0);
    k.assign(cached, 0);
    v.assign(cached, 0);
    out.assign(q.size(), 0x7fc0);
    lse.assign(lens.size() * rows * q_heads, NAN);
    for (std::size_t i = 0; i < pages; ++i) table.push_back(static_cast<std::int32_t>(i));
  }

  static std::uint16_t bits(float value) { return kernels::flash32::to_bf16(value); }
  static float number(std::uint16_t value) { return kernels::flash32::from_bf16(value); }

  std::size_t cached(std::uint32_t request, std::uint32_t token, std::uint32_t channel) const {
    const std::size_t physical = static_cast<std::size_t>(table[request * (capacity / page) + token / page]);
    return (physical * page + token % page) * kv_heads * dim + channel;
  }
  float output(std::uint32_t row, std::uint32_t head, std::uint32_t channel) const {
    return number(out[(row * q_heads + head) * dim + channel]);
  }

  template <class T>
  static xqacheck_tensor tensor(std::vector<T>& values, std::uint32_t dtype) {
    if (values.empty()) return {};
    return {values.data(), values.size() * sizeof(T), dtype, XQACHECK_HOST, sizeof(T), 0};
  }

  xqacheck_problem view() {
    xqacheck_problem p{};
    p.struct_bytes = sizeof(p);
    p.requests = static_cast<std::uint32_t>(lens.size());
    p.q_heads = q_heads;
    p.kv_heads = kv_heads;
    p.head_dim = p.head_dim_v = dim;
    p.beam_width = 1;
    p.max_seq_len = capacity;
    p.max_rows = max_rows;
    p.total_rows = p.requests * max_rows;
    p.page_tokens = page;
    p.pages_in_pool = static_cast<std::uint32_t>(table.size());
    p.table_columns = capacity / page;
    p.table_stride_request = p.table_stride_beam = p.table_columns;
    p.seq_lens = tensor(lens, XQACHECK_UINT32);
    p.page_table = tensor(table, XQACHECK_INT32);
    p.q = tensor(q, XQACHECK_BF16);
    p.k = tensor(k, XQACHECK_BF16);
    p.v = tensor(v, XQACHECK_BF16);
    p.q_stride_row = p.out_stride_row = std::int64_t{q_heads} * dim;
    p.q_stride_head = p.out_stride_head = p.k_stride_head = p.v_stride_head = dim;
    p.k_stride_token = p.v_stride_token = std::int64_t{kv_heads} * dim;
    p.k_stride_page = p.v_stride_page = p.k_stride_token * page;
    p.q_scale = p.k_scale = p.v_scale = p.rcp_out_scale = {1.0f, 0, nullptr};
    p.window = window;
    p.mask_kind = mask_kind;
    p.mask = tensor(mask, XQACHECK_UINT32);
    p.mask_words = mask.empty() ? 0 : 1;
    p.sinks = tensor(sinks, XQACHECK_FP32);
    p.out = tensor(out, XQACHECK_BF16);
    p.lse = tensor(lse, XQACHECK_FP32);
    p.lse_base = 2.718281828f;
    p.forced_splits = forced_splits;
    p.sm_count = 132;
    return p;
  }

  // The whole life cycle; scratch is filled with NaN first. Returns the reason of a refusal, or "state" if a semaphore
  // is left set, else "".
  std::string run() {
    const xqacheck_kernel* kernel = xqacheck_flash32_kernel();
    const xqacheck_problem p = view();
    char why[256] = "";
    if (kernel->supports(&p, why, sizeof why) != XQACHECK_OK) return why;
    xqacheck_instance* instance = nullptr;
    if (kernel->prepare(&p, &instance, why, sizeof why) != XQACHECK_OK) return why;
    xqacheck_workspace sizes{};
    kernel->workspace(instance, &p, &sizes);
    std::vector<float> scratch(sizes.scratch_bytes / sizeof(float), NAN);
    std::vector<std::uint32_t> state(sizes.state_bytes / sizeof(std::uint32_t), 0);
    const xqacheck_launch launch{scratch.data(), state.data(), nullptr};
    const xqacheck_status status = kernel->run(instance, &p, &launch);
    kernel->destroy(instance);
    if (status != XQACHECK_OK) return "run failed";
    for (const std::uint32_t counter : state)
      if (counter != 0) return "state";
    return "";
  }
};

}  // namespace xqacheck::tests
