// MMHA: masked multi-head attention for the generation phase with plain dot products. The fallback that takes any head count and
// group size, and the worked example of doc/add-a-kernel.md: small before fast.
//
// One block of 128 threads computes one query row of one head over one sub-sequence. It walks its tokens in tiles of 128:
//   scores     warp w takes tokens w, w + 4, …; lane l sums channels l, l + 32, … with fma, then the lanes are added by butterfly
//   softmax    thread i holds token i of the tile: maximum and sum over the warp by butterfly, over the warps as (0+1)+(2+3)
//   output     thread d sums channels d, d + 128, … over the tokens in order
// With several sub-sequences each block leaves (maximum, sum, unnormalised output) in scratch; the block that arrives last merges
// them in their order, so the result does not depend on who is last.
//
// All arithmetic is IEEE fp32 to nearest with denormals, except ex2.approx, lg2.approx.ftz and the output conversion (ex2.approx without
// .ftz: weights beside a dominating sink fade out instead of dropping to zero). The order
// above is the recipe "mmha" that emulation/kernels/mmha carries out bit for bit.
//
// Compile-time shape: MMHA_HEAD_DIM, MMHA_HEAD_DIM_V, MMHA_Q, MMHA_KV, MMHA_OUT (the dtypes as numbers of xqacheck_dtype).
#include "xqacheck_kernel.h"

constexpr int kThreads = 128;             // four warps: enough loads in flight for a fallback
constexpr int kWarps = kThreads / 32;
constexpr int kTile = kThreads;           // one thread holds one token's weight
constexpr int kChannels = (MMHA_HEAD_DIM_V + kThreads - 1) / kThreads;  // output channels of a thread
constexpr float kLog2e = 1.44269504f, kLn2 = 0.693147182f;              // 0x3fb8aa3b, 0x3f317218


using int64 = long long;

// ---- number formats -------------------------------------------------------------------------------------------------------------

template <int dtype>
struct Element;
template <>
struct Element<XQACHECK_FP16> {
  using Bits = unsigned short;
  static __device__ float load(Bits x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
  }
  static __device__ Bits store(float x) {
    Bits y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
  }
};
template <>
struct Element<XQACHECK_BF16> {
  using Bits = unsigned short;
  static __device__ float load(Bits x) { return __uint_as_float(static_cast<unsigned>(x) << 16); }
  static __device__ Bits store(float x) {
    Bits y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
  }
};
template <>
struct Element<XQACHECK_INT8> {
  using Bits = signed char;
  static __device__ float load(Bits x) { return static_cast<float>(x); }
};
template <>
struct Element<XQACHECK_E4M3> {
  using Bits = unsigned char;
  // The seven magnitude bits, read as a half, are the value times 2^-8: exact, subnormals included.
  static __device__ float load(Bits x) {
    const float magnitude = Element<XQACHECK_FP16>::load(static_cast<unsigned short>((x & 0x7f) << 7)) * 256.f;
    if ((x & 0x7f) == 0x7f) return __int_as_float(0x7fffffff);
    return (x & 0x80) != 0 ? -magnitude : magnitude;
  }
  // Round to nearest even on the grid of e4m3, saturating at 448; every architecture, not only those with the instruction.
  static __device__ Bits store(float x) {
    if (x != x) return 0x7f;
    const Bits sign = (__float_as_uint(x) >> 24) & 0x80;
    const float magnitude = fabsf(x);
    if (magnitude >= 448.f) return sign | 0x7e;
    if (magnitude < 0.015625f)  // below 2^-6 the grid is 2^-9; adding 2^14 puts it at the last bit of an fp32
      return sign | static_cast<Bits>(__float_as_uint(__fadd_rn(magnitude, 16384.f)) - __float_as_uint(16384.f));
    const unsigned bits = __float_as_uint(magnitude), keep = bits >> 20;  // three mantissa bits stay
    const unsigned rest = bits & 0xfffff, half = 0x80000;
    const unsigned rounded = keep + (rest > half || (rest == half && (keep & 1) != 0));
    return sign | static_cast<Bits>(rounded - (120 << 3));  // exponent bias 127 -> 7
  }
};

using Query = Element<MMHA_Q>;
using Cache = Element<MMHA_KV>;
using Output = Element<MMHA_OUT>;

__device__ float infinity() { return __int_as_float(0x7f800000); }

// ---- arithmetic -----------------------------------------------------------------------------------------------------------------

__device__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ float log2_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// exp(x - m); a token of weight zero stays zero also where m is -inf.
__device__ float weight(float x, float m) {
  return x == -infinity() ? 0.f : exp2_approx(__fmul_rn(__fsub_rn(x, m), kLog2e));
}
// Maximum that a NaN survives (fmaxf would drop it).
__device__ float max_or_nan(float a, float b) {
  if (a != a) return a;
  return b != b || b > a ? b : a;
}
__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x = __fadd_rn(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}
__device__ float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = max_or_nan(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}

// ---- where things are ------------------------------------------------------------------------------------------------------------

template <class T>
__device__ const T* as(const xqacheck_tensor& tensor) {
  return static_cast<const T*>(tensor.data);
}
__device__ float value_of(const xqacheck_scale& scale) { return scale.pointer != nullptr ? *scale.pointer : scale.value; }

// The row of q that this block answers, and what it may see.
struct Row {
  unsigned request, beam, first, count, index;  // first row, rows and own number inside the request and beam
  int64 length, oldest_draft, begin;            // tokens; tokens before `begin` are outside the window
};

__device__ Row row_of(const xqacheck_problem& p, unsigned row) {
  Row r;
  if (p.ragged != 0) {
    const unsigned* offsets = as<unsigned>(p.row_offsets);
    unsigned low = 0, high = p.requests;  // the last request whose first row is not behind `row`
    while (high - low > 1) {
      const unsigned middle = (low + high) / 2;
      if (offsets[middle] * p.beam_width <= row) low = middle; else high = middle;
    }
    r.request = low, r.first = offsets[low], r.count = offsets[low + 1] - offsets[low];
  } else {
    r.request = row / (p.max_rows * p.beam_width), r.first = r.request * p.max_rows, r.count = p.max_rows;
  }
  const unsigned inside = row - r.first * p.beam_width;
  r.beam = inside / r.count, r.index = inside % r.count;
  r.first = r.first * p.beam_width + r.beam * r.count;
  r.length = as<unsigned>(p.seq_lens)[r.request];
  r.oldest_draft = r.length - r.count;
  const unsigned depth = p.depths.data != nullptr ? as<unsigned>(p.depths)[r.first + r.index] : r.index;
  const int64 begin = p.window == 0 ? 0 : r.oldest_draft + 1 + depth - p.window;
  r.begin = begin > 0 ? begin : 0;
  return r;
}

__device__ bool visible(const xqacheck_problem& p, const Row& r, int64 token) {
  if (token < r.begin || token >= r.length) return false;
  const int64 draft = token - r.oldest_draft;
  if (draft < 0 || p.mask_kind == XQACHECK_MASK_NONE) return true;
  if (p.mask.data == nullptr) return draft <= r.index;
  const unsigned* bits = as<unsigned>(p.mask) + static_cast<int64>(r.first + r.index) * p.mask_words;
  return (bits[draft / 32] >> (draft % 32) & 1u) != 0;
}

// Element index of channel 0 of a cached token.
__device__ int64 cache_index(const xqacheck_problem& p, const Row& r, unsigned kv_head, int64 token, bool is_v) {
  unsigned beam = r.beam;
  if (p.beam_width > 1) {  // the token was written by the beam that this one descends from
    const int64 entry = (static_cast<int64>(r.request) * p.beam_width + beam) * p.max_seq_len + token;
    beam = token < as<unsigned>(p.beam_context)[r.request] ? 0u : static_cast<unsigned>(as<int>(p.beam_index)[entry]);
  }
  int64 page = static_cast<int64>(r.request) * p.beam_width + beam, slot = token;
  if (p.page_tokens != 0) {
    const int64 entry = r.request * p.table_stride_request + beam * p.table_stride_beam + (is_v ? p.table_stride_v : 0);
    page = as<int>(p.page_table)[entry + token / p.page_tokens];
    slot = token % p.page_tokens;
  }
  return is_v ? page * p.v_stride_page + kv_head * p.v_stride_head + slot * p.v_stride_token
              : page * p.k_stride_page + kv_head * p.k_stride_head + slot * p.k_stride_token;
}

// ---- one sub-sequence -------------------------------------------------------------------------------------------------------------

// Running softmax of one row: maximum, sum of weights, and the weighted sum of V of this thread's channels.
struct Running {
  float maximum = -infinity(), sum = 0.f, output[kChannels] = {};
};

struct Tile {
  float query[MMHA_HEAD_DIM];
  float score[kTile];
  int64 v_index[kTile];  // -1: not visible
  float partial[2][kWarps];
};

__device__ void score_tile(const xqacheck_problem& p, const Row& r, unsigned kv_head, int64 first, float scale, Tile& tile) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto* k = as<Cache::Bits>(p.k);
  for (int i = warp; i < kTile; i += kWarps) {
    const int64 token = first + i;
    const bool seen = visible(p, r, token);
    float score = -infinity();
    if (seen) {
      const auto* key = k + cache_index(p, r, kv_head, token, false);
      float dot = 0.f;
      for (int c = lane; c < MMHA_HEAD_DIM; c += 32) dot = __fmaf_rn(tile.query[c], Cache::load(key[c]), dot);
      score = __fmul_rn(warp_sum(dot), scale);
    }
    if (lane == 0) tile.score[i] = score, tile.v_index[i] = seen ? cache_index(p, r, kv_head, token, true) : -1;
  }
  __syncthreads();
}

__device__ void consume_tile(const xqacheck_problem& p, Tile& tile, Running& running) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float score = tile.score[threadIdx.x];
  const float highest = warp_max(score);
  if (lane == 0) tile.partial[0][warp] = highest;
  __syncthreads();
  float maximum = running.maximum;
  for (int w = 0; w < kWarps; ++w) maximum = max_or_nan(maximum, tile.partial[0][w]);
  const float shrink = weight(running.maximum, maximum);
  const float mine = tile.v_index[threadIdx.x] < 0 ? 0.f : weight(score, maximum);
  const float total = warp_sum(mine);
  if (lane == 0) tile.partial[1][warp] = total;
  tile.score[threadIdx.x] = mine;
  __syncthreads();
  const float* sums = tile.partial[1];
  running.maximum = maximum;
  running.sum = __fmaf_rn(running.sum, shrink, __fadd_rn(__fadd_rn(sums[0], sums[1]), __fadd_rn(sums[2], sums[3])));
  const auto* v = as<Cache::Bits>(p.v);
  for (int j = 0; j < kChannels; ++j) {
    const int channel = threadIdx.x + j * kThreads;
    if (channel >= MMHA_HEAD_DIM_V) break;
    float sum = __fmul_rn(running.output[j], shrink);
    for (int i = 0; i < kTile; ++i)
      if (tile.v_index[i] >= 0) sum = __fmaf_rn(tile.score[i], Cache::load(v[tile.v_index[i] + channel]), sum);
    running.output[j] = sum;
  }
  __syncthreads();
}

// ---- the end of a row -------------------------------------------------------------------------------------------------------------

// Adds the sink, normalises and writes output and LSE. An empty row gives 0 and -inf (or the sink).
__device__ void finish(const xqacheck_problem& p, unsigned row, unsigned head, Running& running) {
  const bool empty = running.maximum == -infinity();  // no token, or none with a score above -inf
  float shrink = 1.f;
  if (p.sinks.data != nullptr) {
    const float sink = as<float>(p.sinks)[head];
    const float maximum = max_or_nan(running.maximum, sink);
    shrink = weight(running.maximum, maximum);
    running.sum = __fmaf_rn(running.sum, shrink, sink == infinity() ? 1.f : weight(sink, maximum));
    running.maximum = maximum;
  }
  const float factor = __fmul_rn(__fmul_rn(__frcp_rn(running.sum), value_of(p.v_scale)), value_of(p.rcp_out_scale));
  auto* out = static_cast<Output::Bits*>(p.out.data) + row * p.out_stride_row + head * p.out_stride_head;
  for (int j = 0; j < kChannels; ++j) {
    const int channel = threadIdx.x + j * kThreads;
    if (channel < MMHA_HEAD_DIM_V) out[channel] = Output::store(empty ? 0.f : __fmul_rn(__fmul_rn(running.output[j], shrink), factor));
  }
  if (p.lse.data != nullptr && threadIdx.x == 0) {
    const float log2_sum = log2_approx(running.sum);
    static_cast<float*>(p.lse.data)[static_cast<int64>(row) * p.q_heads + head] =
        p.lse_base == 2.f ? __fmaf_rn(running.maximum, kLog2e, log2_sum) : __fmaf_rn(log2_sum, kLn2, running.maximum);
  }
}

// Partial result of one sub-sequence in scratch: maximum, sum, then the channels.
constexpr int kPartialFloats = 2 + MMHA_HEAD_DIM_V;

__device__ void store_partial(float* partial, const Running& running) {
  if (threadIdx.x == 0) partial[0] = running.maximum, partial[1] = running.sum;
  for (int j = 0; j < kChannels; ++j) {
    const int channel = threadIdx.x + j * kThreads;
    if (channel < MMHA_HEAD_DIM_V) partial[2 + channel] = running.output[j];
  }
}

// Counts the arrivals of a row's blocks; true in the block that came last. The counter wraps to 0 for the next launch.
// The fences stand on the inner side of the barriers, by the thread that counts: a fence publishes what its own thread knows, and
// that thread knows the others' partials only behind the barrier (a fence before it is a race by the memory model of PTX).
__device__ bool arrived_last(unsigned* counter, unsigned blocks) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // the partials of this block are visible before the count
    last = atomicInc(counter, blocks - 1) == blocks - 1;
    __threadfence();  // and the others' partials are visible after it
  }
  __syncthreads();
  return last;
}

__device__ void merge(const float* partials, unsigned splits, Running& running) {
  running = Running();
  for (unsigned s = 0; s < splits; ++s) running.maximum = max_or_nan(running.maximum, __ldcg(partials + s * kPartialFloats));
  for (unsigned s = 0; s < splits; ++s) {
    const float* partial = partials + s * kPartialFloats;
    const float share = weight(__ldcg(partial), running.maximum);
    running.sum = __fmaf_rn(__ldcg(partial + 1), share, running.sum);
    for (int j = 0; j < kChannels; ++j) {
      const int channel = threadIdx.x + j * kThreads;
      if (channel < MMHA_HEAD_DIM_V) running.output[j] = __fmaf_rn(__ldcg(partial + 2 + channel), share, running.output[j]);
    }
  }
}

// Four blocks a multiprocessor at least: up to 128 registers, so that nothing is spilled.
// Grid (splits, q_heads, total_rows). `rsqrt_dim` is the correctly rounded 1 / sqrt(head_dim).
extern "C" __global__ void __launch_bounds__(kThreads, 4) mmha(const xqacheck_problem p, float* scratch, unsigned* counters, float rsqrt_dim) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");  // inputs of the preceding kernel, under programmatic dependent launch
#endif
  __shared__ Tile tile;
  const unsigned split = blockIdx.x, splits = gridDim.x, head = blockIdx.y, row = blockIdx.z;
  const unsigned kv_head = head / (p.q_heads / p.kv_heads);
  const Row r = row_of(p, row);
  const auto* q = as<Query::Bits>(p.q) + row * p.q_stride_row + head * p.q_stride_head;
  for (int c = threadIdx.x; c < MMHA_HEAD_DIM; c += kThreads) tile.query[c] = Query::load(q[c]);
  __syncthreads();

  const float scale = __fmul_rn(__fmul_rn(value_of(p.q_scale), value_of(p.k_scale)), rsqrt_dim);
  const int64 first_tile = r.begin / kTile, tiles = (r.length + kTile - 1) / kTile - first_tile;
  const int64 chunk = (tiles + splits - 1) / splits;
  const int64 begin = first_tile + split * chunk;
  const int64 end = begin + chunk < first_tile + tiles ? begin + chunk : first_tile + tiles;
  Running running;
  for (int64 i = begin; i < end; ++i) {
    score_tile(p, r, kv_head, i * kTile, scale, tile);
    consume_tile(p, tile, running);
  }
  if (splits > 1) {
    const int64 cell = static_cast<int64>(row) * p.q_heads + head;
    float* partials = scratch + cell * splits * kPartialFloats;
    store_partial(partials + split * kPartialFloats, running);
    if (!arrived_last(counters + cell, splits)) return;
    merge(partials, splits, running);
  }
  finish(p, row, head, running);
}
