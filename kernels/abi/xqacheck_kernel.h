/* xqacheck kernel ABI, version 1. Plain C11; includes nothing of the project.
 *
 * A kernel under test is anything that computes one decode-attention problem behind this interface. A plug-in is a shared
 * object that exports one symbol:
 *
 *     const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index);
 *
 * It returns kernel number `index` (0, 1, …; NULL past the last) or NULL for every index when it does not speak
 * `abi_version`. The returned table and all strings live as long as the library is loaded.
 *
 * Life cycle, in this order, all on one thread:
 *     supports -> prepare -> workspace -> run (any number of times) -> destroy
 * `prepare` may compile, build tensor maps and allocate. `run` must not allocate, synchronise or read host memory that may
 * change, so that it can be captured in a CUDA graph.
 *
 * Semantics of a problem (one call of attention in the generation phase), request b, query row i, query head h, KV head
 * g = h / (q_heads / kv_heads):
 *     score(t) = dot(q[i,h,:], k[g,t,:]) * q_scale * k_scale / sqrt(head_dim)     for every visible token t < seq_lens[b]
 *     out[i,h,:] = sum_t exp(score(t) - m) * v[g,t,:] * v_scale / (sum_t exp(score(t) - m) + exp(sink[h] - m))
 *     lse[i,h]   = log(sum_t exp(score(t)) + exp(sink[h]))  (natural log unless lse_base says otherwise)
 * Formulas for windows, drafts, beams, RoPE and skip-softmax stand at the fields. Everything about empty rows: see
 * xqacheck_domain. What the formulas leave open is answered by the numbered sentences of doc/golden.md.
 */
#ifndef XQACHECK_KERNEL_H
#define XQACHECK_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XQACHECK_ABI_VERSION 1u

#if defined(_WIN32)
#define XQACHECK_EXPORT __declspec(dllexport)
#else
#define XQACHECK_EXPORT __attribute__((visibility("default")))
#endif

typedef enum xqacheck_dtype {
  XQACHECK_NONE = 0,
  XQACHECK_FP16 = 1,
  XQACHECK_BF16 = 2,
  XQACHECK_FP32 = 3,
  XQACHECK_INT8 = 4,
  XQACHECK_E4M3 = 5,
  XQACHECK_INT32 = 6,
  XQACHECK_UINT32 = 7
} xqacheck_dtype;

typedef enum xqacheck_memory { XQACHECK_HOST = 0, XQACHECK_CUDA = 1 } xqacheck_memory;

typedef enum xqacheck_status {
  XQACHECK_OK = 0,
  XQACHECK_UNSUPPORTED = 1, /* the problem is outside what the kernel does; `why` says which field */
  XQACHECK_INVALID = 2,     /* the problem contradicts itself; `why` says which field */
  XQACHECK_ERROR = 3        /* the kernel could not do what it supports (no device, compile error …); `why` has the log */
} xqacheck_status;

/* A tensor: where it is and how far it may be touched. `bytes` is the exact extent that belongs to the tensor: no byte
 * outside [data, data + bytes) may be read or written. Absent tensors have data == NULL and dtype == XQACHECK_NONE. */
typedef struct xqacheck_tensor {
  void* data;
  uint64_t bytes;
  uint32_t dtype;  /* xqacheck_dtype */
  uint32_t memory; /* xqacheck_memory */
  uint32_t align;  /* data is a multiple of this many bytes; the kernel may rely on it and on nothing more */
  uint32_t reserved;
} xqacheck_tensor;

/* A scale: `pointer` (fp32, in the memory space of the tensors) wins over `value` if it is not NULL; both hold the same. */
typedef struct xqacheck_scale {
  float value;
  uint32_t reserved;
  const float* pointer;
} xqacheck_scale;

typedef enum xqacheck_mask_kind {
  XQACHECK_MASK_NONE = 0,   /* decode: one query row a request (times beams) */
  XQACHECK_MASK_CAUSAL = 1, /* draft i attends drafts 0..i; `mask` holds the same bits */
  XQACHECK_MASK_TREE = 2    /* arbitrary bits in `mask` */
} xqacheck_mask_kind;

typedef enum xqacheck_rope_kind { XQACHECK_ROPE_NONE = 0, XQACHECK_ROPE_NEOX = 1, XQACHECK_ROPE_GPTJ = 2 } xqacheck_rope_kind;

typedef struct xqacheck_problem {
  uint32_t struct_bytes; /* sizeof(xqacheck_problem) of the caller; new fields are appended */

  /* -- sizes -- */
  uint32_t requests;   /* B */
  uint32_t q_heads;    /* Hq, a multiple of kv_heads */
  uint32_t kv_heads;   /* Hkv */
  uint32_t head_dim;   /* D of q and k: a multiple of 16 */
  uint32_t head_dim_v; /* D of v and out; differs from head_dim only for MLA (576 / 512) */
  uint32_t beam_width; /* W, 1 if there is no beam search */
  uint32_t max_seq_len; /* capacity of a request in tokens, host-side knowledge: every seq_lens[b] <= max_seq_len */
  uint32_t max_rows;    /* most query rows of one request (draft tokens, or 1), beams not counted */
  uint32_t total_rows;  /* rows of q and out over all requests, beams counted: R; row i of n of (request b, beam w) is
                           first(b) + w * n + i, first(b) = b * W * n or row_offsets[b] * W */

  /* -- tokens and pages -- */
  uint32_t page_tokens;    /* T, tokens in a page; 0: contiguous, request b (beam w) is "page" b * W + w */
  uint32_t pages_in_pool;  /* number of pages that exist in the pool (0 for contiguous) */
  uint32_t table_columns;  /* page table entries of one request and beam, ceil(max_seq_len / T) */
  uint32_t kv_aliased;     /* 1: k and v are the same storage (MLA: v is the first head_dim_v channels of k) */
  xqacheck_tensor seq_lens; /* UINT32 [B]: tokens in the cache including the newest one, or including all drafts */

  /* INT32. Page of block j of (request b, beam w): element b*table_stride_request + w*table_stride_beam + j for K, and
   * table_stride_v further for V (0: one table for both). Entries from ceil(seq_len / T) on must not be followed. */
  xqacheck_tensor page_table;
  int64_t table_stride_request, table_stride_beam, table_stride_v;

  /* -- q, k, v: strides in elements; the last dimension is dense --
   * q element (row r, head h, channel d)          : r*q_stride_row + h*q_stride_head + d
   * k element (page p, head g, token t, channel d): p*k_stride_page + g*k_stride_head + t*k_stride_token + d; v alike.
   * Layout NHD: token stride > head stride; HND: head stride > token stride. The XQA pool: k.data == v.data. */
  xqacheck_tensor q; /* FP16 or BF16 */
  xqacheck_tensor k; /* FP16, BF16 (the dtype of q), INT8 or E4M3 */
  xqacheck_tensor v; /* dtype of k */
  int64_t q_stride_row, q_stride_head;
  int64_t k_stride_page, k_stride_head, k_stride_token;
  int64_t v_stride_page, v_stride_head, v_stride_token;

  /* -- scales: stored * scale = value -- */
  xqacheck_scale q_scale;       /* multiplies the scores */
  xqacheck_scale k_scale;       /* 1 for 16-bit caches */
  xqacheck_scale v_scale;       /* 1 for 16-bit caches */
  xqacheck_scale rcp_out_scale; /* e4m3 output = value * rcp_out_scale; 1 for 16-bit output */

  /* -- attention variants -- */
  uint32_t window; /* W > 0: row i of n sees only tokens t >= seq_len - n + 1 + depth(i) - W; depth(i) = i but in a tree the depth; 0: no window */
  uint32_t mask_kind; /* xqacheck_mask_kind */
  /* UINT32 [R][mask_words], mask_words = ceil(max_rows / 32): bit j % 32 of word j / 32 of row i: draft i may attend draft
   * j. Nothing is implied, not even i itself. Tokens t < seq_len - n (n = rows of the request) are visible to all rows. */
  xqacheck_tensor mask;
  uint32_t mask_words;
  xqacheck_tensor depths; /* UINT32 [R]: depth of each draft in its tree, for windows and RoPE positions; absent unless MASK_TREE */
  uint32_t ragged; /* 1: requests have different numbers of rows; 0: all have max_rows */
  xqacheck_tensor row_offsets; /* UINT32 [B + 1]: first row of each request; absent unless ragged */
  xqacheck_tensor sinks;       /* FP32 [q_heads] natural-log logits, in the denominator only; absent: no sinks */
  float skip_softmax_factor;   /* > 0: a 64-token tile may be skipped where exp(tile max - running max) < factor / seq_len
                                  for every row; off where seq_len < factor; 0: never */

  /* -- beam search: k and v of token t of beam w come from beam index[b][w][t]; rows of q are (b, w) -- */
  xqacheck_tensor beam_index;   /* INT32 [B][W][max_seq_len]; absent for W = 1 */
  xqacheck_tensor beam_context; /* UINT32 [B]: tokens below this are shared by the beams and read from beam 0 */

  /* -- fused RoPE: q and the new k are rotated, then k_new and v_new are quantised and appended to the cache --
   * Pair j: NeoX (j, j + rotary_dim / 2), GPT-J (2j, 2j + 1); (x, y) -> (x cos - y sin, x sin + y cos). The cache holds
   * round(x / scale) in its own dtype, nearest even, 8-bit formats saturating; attention reads that number, q is not rounded. */
  uint32_t rope_kind;   /* xqacheck_rope_kind */
  uint32_t rotary_dim;  /* multiple of 16, <= head_dim; channels beyond it pass through */
  xqacheck_tensor rope_table; /* FP32 [max_seq_len][rotary_dim]: cos of pair 0, sin of pair 0, cos of pair 1, … */
  xqacheck_tensor k_new;      /* dtype of q [R][kv_heads][head_dim]; row i is appended as token seq_len - n + i, at
                                 RoPE position seq_len - n + depth(i) */
  xqacheck_tensor v_new;      /* dtype of q [R][kv_heads][head_dim_v] */
  xqacheck_tensor qkv_bias;   /* FP32 [q_heads*head_dim + kv_heads*head_dim + kv_heads*head_dim_v], added before RoPE; may be absent */

  /* -- outputs -- */
  xqacheck_tensor out; /* dtype of q, or E4M3: element (row r, head h, channel d) at r*out_stride_row + h*out_stride_head + d */
  int64_t out_stride_row, out_stride_head;
  xqacheck_tensor lse; /* FP32 [R][q_heads], optional: absent if not asked for */
  float lse_base;      /* base of the logarithm the caller wants: e (2.718281828…) or 2 */

  /* -- launch -- */
  uint32_t forced_splits; /* sub-sequences a request is split into; 0: the kernel's own plan */
  uint32_t sm_count;      /* multiprocessors that the split plan may count on */
  uint32_t pdl;           /* 1: launched with programmatic dependent launch */
} xqacheck_problem;

/* -- what a kernel declares -- */

/* How a kernel's arithmetic rounds: input of the error bound when there is no recipe. Zero means "unknown" and selects
 * the safe default written at the field. */
typedef struct xqacheck_numerics {
  uint32_t q_format;       /* dtype that q is converted to before the first product; default: none (q's own) */
  uint32_t p_format;       /* dtype that the weights P are rounded to before the second product; default BF16 */
  float p_scale;           /* P is multiplied by this before rounding (448 for the wgmma kernels); default 1 */
  uint32_t accumulator_bits;   /* significand bits that the accumulator of both products keeps; default 14 for e4m3 KV, else 24 */
  uint32_t accumulator_truncates; /* 1: toward zero, 2: to nearest; default 1 */
  uint32_t accumulator_steps;  /* products added per rounding of the accumulator (16, 32); default 16 */
  uint32_t partial_format; /* dtype of split partials; default: the dtype of q */
  uint32_t tile_tokens;    /* tokens between two rescales of the accumulator; default 64 */
  float exp_relative_error; /* bound on the relative error of exp, beyond that of its argument; default 2^-21 */
  uint32_t double_rounded_output; /* 1: e4m3 output is rounded to 16 bit first, 2: it is not; default 1 */
  uint32_t row_sum_of_rounded_p; /* 1: the row sum adds the rounded P, 2: the unrounded; default: either */
  uint32_t p_rescaled; /* 1: a tile's rounded P may be multiplied by exp(tile max - running max) in p_format, 2: never;
                          default: it may where p_format has 16 bits */
  uint32_t partial_roundings; /* roundings to partial_format between accumulator and output (split partials, sums of token
                                 groups); default 4 */
} xqacheck_numerics;

typedef enum xqacheck_empty_policy {
  XQACHECK_EMPTY_ZERO = 0,        /* empty rows give output 0, LSE -inf or the sink (the default of the golden model) */
  XQACHECK_EMPTY_UNSUPPORTED = 1, /* outside the domain */
  XQACHECK_EMPTY_NAN = 2
} xqacheck_empty_policy;

/* Where a kernel promises to be right. */
typedef struct xqacheck_domain {
  float max_abs_score;      /* largest |score| (natural-log units) it handles; 0: any finite */
  float min_row_max;        /* a row's largest score must not be below this (finite masking constants); 0: no limit */
  uint32_t needs_finite_tail; /* 1: tokens of the last page past seq_len must hold finite values */
  uint32_t zero_length;     /* xqacheck_empty_policy */
  uint32_t fully_masked;    /* xqacheck_empty_policy */
  uint32_t nan_policy;      /* 0: NaN/Inf in a used place propagate to exactly the rows that see it; 1: outside the domain */
} xqacheck_domain;

/* A recipe names an emulator and its parameters: enough for a bit-exact emulation of the kernel. */
typedef struct xqacheck_recipe {
  const char* family;  /* "hmma", "gmma", "mmha", "flash32" … */
  const char* arch;    /* "sm_90" …: whose matrix and special-function arithmetic */
  const char* toolkit; /* ptxas version where the lowering matters, or "" */
  const char* parameters; /* "key=value key=value": the family's own switches; see doc/recipes.md */
} xqacheck_recipe;

typedef struct xqacheck_description {
  const char* name;    /* [a-z0-9_.-]+, unique in a plug-in */
  const char* version; /* free text, goes into reports */
  uint32_t memory;     /* xqacheck_memory that its tensors must live in */
  uint32_t deterministic; /* 1: equal inputs give equal bits */
  uint32_t rows_independent; /* 1: a row's bits do not depend on the other rows of its tile */
  uint32_t split_invariant_company; /* 1: a request's bits do not depend on other requests while its split count is the same */
  xqacheck_numerics numerics;
  xqacheck_domain domain;
  const xqacheck_recipe* recipe; /* NULL: none, only bounds apply */
} xqacheck_description;

typedef struct xqacheck_workspace {
  uint64_t scratch_bytes; /* any content before any run */
  uint64_t state_bytes;   /* semaphores: zero before the first run, and left zero by every run */
  uint32_t scratch_align, state_align;
} xqacheck_workspace;

typedef struct xqacheck_launch {
  void* scratch;
  void* state;
  void* stream; /* CUstream for cuda kernels, NULL on the host */
} xqacheck_launch;

typedef struct xqacheck_instance xqacheck_instance; /* opaque, the kernel's own */

typedef struct xqacheck_kernel {
  uint32_t abi_version; /* XQACHECK_ABI_VERSION that the kernel was built with */
  uint32_t struct_bytes; /* sizeof(xqacheck_kernel) */
  const xqacheck_description* (*describe)(void);
  /* OK, UNSUPPORTED or INVALID; `why` (why_bytes long, NUL-terminated) names the field and the limit. Looks at sizes, strides,
   * dtypes and flags only, never at tensor contents. */
  xqacheck_status (*supports)(const xqacheck_problem* problem, char* why, size_t why_bytes);
  xqacheck_status (*prepare)(const xqacheck_problem* problem, xqacheck_instance** instance, char* why, size_t why_bytes);
  xqacheck_status (*workspace)(xqacheck_instance* instance, const xqacheck_problem* problem, xqacheck_workspace* sizes);
  xqacheck_status (*run)(xqacheck_instance* instance, const xqacheck_problem* problem, const xqacheck_launch* launch);
  /* Sub-sequences that `run` uses for the problem's capacity (forced_splits respected as far as the kernel can). */
  uint32_t (*split_plan)(const xqacheck_problem* problem);
  void (*destroy)(xqacheck_instance* instance);
} xqacheck_kernel;

typedef const xqacheck_kernel* (*xqacheck_get_kernel_fn)(uint32_t abi_version, uint32_t index);
#ifndef __CUDACC_RTC__ /* device code compiled at run time includes this header for xqacheck_problem only */
XQACHECK_EXPORT const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index);
#endif

#ifdef __cplusplus
}
#endif
#endif
