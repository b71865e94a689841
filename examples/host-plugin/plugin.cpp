// A whole kernel under test on the host: bf16 decode attention (MHA, GQA, MQA) over a paged cache, one query row a
// request. The simplest thing that works: all scores of a row first, then softmax, then the weighted sum of V.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "xqacheck_contradiction.h"
#include "xqacheck_kernel.h"

namespace {

using Problem = xqacheck_problem;

constexpr auto from_bf16 = [](uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); };

uint16_t to_bf16(float value) {  // nearest even; NaN stays NaN
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>(std::isnan(value) ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

const xqacheck_description* describe() {
  static xqacheck_description d{};
  d.name = "example-host", d.version = "1";
  d.memory = XQACHECK_HOST;
  d.deterministic = d.rows_independent = d.split_invariant_company = 1;
  d.numerics.p_format = XQACHECK_FP32;  // weights stay fp32; sums are fp32, rounded to nearest after every product
  d.numerics.accumulator_bits = 24, d.numerics.accumulator_truncates = 2, d.numerics.accumulator_steps = 1;
  return &d;
}

xqacheck_status supports(const Problem* p, char* why, std::size_t why_bytes) {
  if (const char* fault = xqacheck_contradiction(p)) return std::snprintf(why, why_bytes, "%s", fault), XQACHECK_INVALID;
  const char* reason = nullptr;
  for (const auto dtype : {p->q.dtype, p->k.dtype, p->out.dtype})
    if (dtype != XQACHECK_BF16) reason = "dtype: bf16 only";
  if (p->max_rows != 1 || p->ragged || p->mask_kind) reason = "max_rows: no draft tokens";
  if (p->page_tokens == 0 || p->beam_width != 1) reason = "page_tokens, beam_width: paged, no beam search";
  if (p->window || p->sinks.dtype) reason = "window, sinks: not supported";
  if (p->rope_kind || p->k_new.dtype || p->qkv_bias.dtype) reason = "rope_kind, qkv_bias: attention only";
  if (p->kv_aliased || p->lse.dtype) reason = "kv_aliased, lse: not supported";
  if (reason) std::snprintf(why, why_bytes, "%s", reason);
  return reason ? XQACHECK_UNSUPPORTED : XQACHECK_OK;
}

xqacheck_status prepare(const Problem* p, xqacheck_instance** instance, char* why, std::size_t why_bytes) {
  *instance = reinterpret_cast<xqacheck_instance*>(&describe);  // nothing to remember between runs: any address will do
  return supports(p, why, why_bytes);
}

xqacheck_status workspace(xqacheck_instance*, const Problem* p, xqacheck_workspace* sizes) {
  *sizes = {p->max_seq_len * sizeof(float), 0, alignof(float), 1};  // scratch for one row of weights, no state
  return XQACHECK_OK;
}

const uint16_t* cached(const Problem& p, bool of_v, uint32_t b, uint32_t t, uint32_t head) {  // channel 0 of a token
  const auto* pages = static_cast<const int32_t*>(p.page_table.data) + b * p.table_stride_request;
  const int64_t page = pages[(of_v ? p.table_stride_v : 0) + t / p.page_tokens], slot = t % p.page_tokens;
  const auto* data = static_cast<const uint16_t*>(of_v ? p.v.data : p.k.data);
  return of_v ? data + page * p.v_stride_page + slot * p.v_stride_token + head * p.v_stride_head
              : data + page * p.k_stride_page + slot * p.k_stride_token + head * p.k_stride_head;
}

void attend(const Problem& p, uint32_t b, uint32_t h, float* weights) {
  const uint32_t head = h / (p.q_heads / p.kv_heads), length = static_cast<const uint32_t*>(p.seq_lens.data)[b];
  const auto* q = static_cast<const uint16_t*>(p.q.data) + b * p.q_stride_row + h * p.q_stride_head;
  auto* out = static_cast<uint16_t*>(p.out.data) + b * p.out_stride_row + h * p.out_stride_head;
  const float scale = p.q_scale.value * p.k_scale.value / std::sqrt(static_cast<float>(p.head_dim));
  float largest = std::numeric_limits<float>::lowest(), sum = 0;  // an empty row keeps a sum of 0
  for (uint32_t t = 0; t < length; ++t) {
    const uint16_t* k = cached(p, false, b, t, head);
    weights[t] = 0;
    for (uint32_t d = 0; d < p.head_dim; ++d) weights[t] += from_bf16(q[d]) * from_bf16(k[d]);
    largest = std::max(largest, weights[t] *= scale);
  }
  for (uint32_t t = 0; t < length; ++t) sum += weights[t] = std::exp(weights[t] - largest);
  for (uint32_t d = 0; d < p.head_dim_v; ++d) {
    float value = 0;
    for (uint32_t t = 0; t < length; ++t) value += weights[t] * from_bf16(cached(p, true, b, t, head)[d]);
    out[d] = to_bf16(sum == 0 ? 0 : value / sum * p.v_scale.value * p.rcp_out_scale.value);
  }
}

xqacheck_status run(xqacheck_instance*, const Problem* p, const xqacheck_launch* launch) {
  for (uint32_t i = 0; i < p->requests * p->q_heads; ++i)
    attend(*p, i / p->q_heads, i % p->q_heads, static_cast<float*>(launch->scratch));
  return XQACHECK_OK;
}

uint32_t split_plan(const Problem*) { return 1; }
void destroy(xqacheck_instance*) {}

}  // namespace

const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  static const xqacheck_kernel kernel = {
      XQACHECK_ABI_VERSION, sizeof(kernel), describe, supports, prepare, workspace, run, split_plan, destroy};
  return abi_version == XQACHECK_ABI_VERSION && index == 0 ? &kernel : nullptr;
}
