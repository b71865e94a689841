// A whole kernel under test on the GPU: fp16 and bf16 decode attention (MHA, GQA, MQA) over a paged cache, one query
// row a request. One block of one warp a (request, head): scores into scratch, softmax, P V with lanes over channels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>
#include <cstdio>

#include "xqacheck_contradiction.h"
#include "xqacheck_kernel.h"

namespace {

using Problem = xqacheck_problem;
constexpr uint32_t kWarp = 32;

template <class T>  // channel 0 of a cached token
__device__ const T* cached(const Problem& p, bool of_v, uint32_t b, uint32_t t, uint32_t head) {
  const int32_t* pages = static_cast<const int32_t*>(p.page_table.data) + b * p.table_stride_request;
  const int64_t page = pages[(of_v ? p.table_stride_v : 0) + t / p.page_tokens], slot = t % p.page_tokens;
  const T* data = static_cast<const T*>(of_v ? p.v.data : p.k.data);
  return of_v ? data + page * p.v_stride_page + slot * p.v_stride_token + head * p.v_stride_head
              : data + page * p.k_stride_page + slot * p.k_stride_token + head * p.k_stride_head;
}

template <class T>
__global__ void attend(const Problem p, float* scratch) {
  const uint32_t b = blockIdx.y, h = blockIdx.x, head = h / (p.q_heads / p.kv_heads);
  const uint32_t length = static_cast<const uint32_t*>(p.seq_lens.data)[b];
  const T* q = static_cast<const T*>(p.q.data) + b * p.q_stride_row + h * p.q_stride_head;
  T* out = static_cast<T*>(p.out.data) + b * p.out_stride_row + h * p.out_stride_head;
  float* weights = scratch + (uint64_t{b} * p.q_heads + h) * p.max_seq_len;
  const float scale = p.q_scale.value * p.k_scale.value / sqrtf(p.head_dim);
  float largest = -FLT_MAX, sum = 0;  // an empty row keeps a sum of 0
  for (uint32_t t = threadIdx.x; t < length; t += kWarp) {
    const T* k = cached<T>(p, false, b, t, head);
    float dot = 0;
    for (uint32_t d = 0; d < p.head_dim; ++d) dot += float(q[d]) * float(k[d]);
    largest = fmaxf(largest, weights[t] = dot * scale);
  }
  for (int lane = 16; lane > 0; lane /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, lane));
  for (uint32_t t = threadIdx.x; t < length; t += kWarp) sum += weights[t] = expf(weights[t] - largest);
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
  __syncwarp();  // every lane reads the weights of all
  for (uint32_t d = threadIdx.x; d < p.head_dim_v; d += kWarp) {
    float value = 0;
    for (uint32_t t = 0; t < length; ++t) value += weights[t] * float(cached<T>(p, true, b, t, head)[d]);
    out[d] = T(sum == 0 ? 0 : value / sum * p.v_scale.value * p.rcp_out_scale.value);
  }
}

const xqacheck_description* describe() {
  static xqacheck_description d{};
  d.name = "example-cuda", d.version = "1";
  d.memory = XQACHECK_CUDA;
  d.deterministic = d.rows_independent = d.split_invariant_company = 1;
  d.numerics.p_format = XQACHECK_FP32;  // weights stay fp32; sums are fp32, rounded to nearest after every product
  d.numerics.accumulator_bits = 24, d.numerics.accumulator_truncates = 2, d.numerics.accumulator_steps = 1;
  return &d;
}

xqacheck_status supports(const Problem* p, char* why, size_t why_bytes) {
  if (const char* fault = xqacheck_contradiction(p)) return snprintf(why, why_bytes, "%s", fault), XQACHECK_INVALID;
  const char* reason = nullptr;
  if (p->k.dtype != p->q.dtype || p->out.dtype != p->q.dtype) reason = "dtype: the same for q, k, v and out";
  if (p->max_rows != 1 || p->ragged || p->mask_kind) reason = "max_rows: no draft tokens";
  if (p->page_tokens == 0 || p->beam_width != 1) reason = "page_tokens, beam_width: paged, no beam search";
  if (p->window || p->sinks.dtype) reason = "window, sinks: not supported";
  if (p->rope_kind || p->k_new.dtype || p->qkv_bias.dtype) reason = "rope_kind, qkv_bias: attention only";
  if (p->kv_aliased || p->lse.dtype) reason = "kv_aliased, lse: not supported";
  if (reason) snprintf(why, why_bytes, "%s", reason);
  return reason ? XQACHECK_UNSUPPORTED : XQACHECK_OK;
}

xqacheck_status prepare(const Problem* p, xqacheck_instance** instance, char* why, size_t why_bytes) {
  *instance = reinterpret_cast<xqacheck_instance*>(&describe);  // nothing to remember between runs
  return supports(p, why, why_bytes);
}

xqacheck_status workspace(xqacheck_instance*, const Problem* p, xqacheck_workspace* sizes) {
  *sizes = {sizeof(float) * p->requests * p->q_heads * p->max_seq_len, 0, alignof(float), 1};  // all weights, no state
  return XQACHECK_OK;
}

xqacheck_status run(xqacheck_instance*, const Problem* p, const xqacheck_launch* launch) {
  const auto kernel = p->q.dtype == XQACHECK_BF16 ? attend<__nv_bfloat16> : attend<__half>;
  const dim3 grid(p->q_heads, p->requests);
  kernel<<<grid, kWarp, 0, cudaStream_t(launch->stream)>>>(*p, static_cast<float*>(launch->scratch));
  return cudaGetLastError() == cudaSuccess ? XQACHECK_OK : XQACHECK_ERROR;
}

uint32_t split_plan(const Problem*) { return 1; }
void destroy(xqacheck_instance*) {}

}  // namespace

const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  static const xqacheck_kernel kernel = {
      XQACHECK_ABI_VERSION, sizeof(kernel), describe, supports, prepare, workspace, run, split_plan, destroy};
  return abi_version == XQACHECK_ABI_VERSION && index == 0 ? &kernel : nullptr;
}
