#include "kernels/flash32/supports.hpp"

#include <cstdarg>
#include <cstdio>

#include "kernels/abi/xqacheck_contradiction.h"
#include "kernels/flash32/formats.hpp"
#include "kernels/flash32/plan.hpp"

namespace xqacheck::kernels::flash32 {
namespace {

// Where the reason goes; each check says what it found, what is allowed and stops the rest.
struct Reason {
  char* text;
  std::size_t bytes;

  __attribute__((format(printf, 3, 4))) xqacheck_status say(xqacheck_status status, const char* format, ...) const {
    if (bytes != 0) {
      va_list arguments;
      va_start(arguments, format);
      std::vsnprintf(text, bytes, format, arguments);
      va_end(arguments);
    }
    return status;
  }
};

bool is_16bit(std::uint32_t dtype) {
  return dtype == XQACHECK_FP16 || dtype == XQACHECK_BF16;
}

xqacheck_status check_sizes(const xqacheck_problem& p, const Reason& why) {
  if (p.requests == 0) return why.say(XQACHECK_INVALID, "requests is 0");
  if (p.kv_heads == 0 || p.q_heads == 0 || p.q_heads % p.kv_heads != 0)
    return why.say(XQACHECK_INVALID, "q_heads %u is not a positive multiple of kv_heads %u", p.q_heads, p.kv_heads);
  if (p.head_dim == 0 || p.head_dim % 16 != 0)
    return why.say(XQACHECK_INVALID, "head_dim %u is not a positive multiple of 16", p.head_dim);
  if (p.head_dim > kMaxHeadDim)
    return why.say(XQACHECK_UNSUPPORTED, "head_dim %u is above %u", p.head_dim, kMaxHeadDim);
  if (p.head_dim_v == 0 || p.head_dim_v > kMaxHeadDim)
    return why.say(XQACHECK_UNSUPPORTED, "head_dim_v %u is not in 1..%u", p.head_dim_v, kMaxHeadDim);
  if (p.kv_aliased != 0 && p.head_dim_v > p.head_dim)
    return why.say(XQACHECK_INVALID, "kv_aliased: head_dim_v %u is above head_dim %u", p.head_dim_v, p.head_dim);
  if (p.beam_width == 0) return why.say(XQACHECK_INVALID, "beam_width is 0");
  if (p.max_rows == 0) return why.say(XQACHECK_INVALID, "max_rows is 0");
  if (p.ragged == 0 && p.total_rows != std::uint64_t{p.requests} * p.beam_width * p.max_rows)
    return why.say(XQACHECK_INVALID, "total_rows %u is not requests * beam_width * max_rows", p.total_rows);
  if (p.page_tokens != 0 && std::uint64_t{p.table_columns} * p.page_tokens < p.max_seq_len)
    return why.say(XQACHECK_INVALID, "table_columns %u * page_tokens %u do not hold max_seq_len %u", p.table_columns,
                   p.page_tokens, p.max_seq_len);
  return XQACHECK_OK;
}

// Every tensor that the flags call for has its dtype, none lives on a device.
xqacheck_status check_tensors(const xqacheck_problem& p, const Reason& why) {
  // Formats first: an unknown one has no element size.
  if (!is_16bit(p.q.dtype))
    return why.say(XQACHECK_UNSUPPORTED, "q has dtype %u; fp16 and bf16 are supported", p.q.dtype);
  if (is_16bit(p.k.dtype) ? p.k.dtype != p.q.dtype : p.k.dtype != XQACHECK_INT8 && p.k.dtype != XQACHECK_E4M3)
    return why.say(XQACHECK_UNSUPPORTED, "k has dtype %u; the dtype of q (%u), int8 and e4m3 are supported", p.k.dtype,
                   p.q.dtype);
  if (p.out.dtype != p.q.dtype && p.out.dtype != XQACHECK_E4M3)
    return why.say(XQACHECK_UNSUPPORTED, "out has dtype %u; the dtype of q (%u) and e4m3 are supported", p.out.dtype,
                   p.q.dtype);
  const struct {
    const char* name;
    const xqacheck_tensor& tensor;
    bool wanted;
    std::uint32_t dtype;
  } expected[] = {
      {"seq_lens", p.seq_lens, true, XQACHECK_UINT32},
      {"page_table", p.page_table, p.page_tokens != 0, XQACHECK_INT32},
      {"mask", p.mask, p.mask_kind == XQACHECK_MASK_TREE || p.mask.dtype != XQACHECK_NONE, XQACHECK_UINT32},
      {"depths", p.depths, p.depths.dtype != XQACHECK_NONE, XQACHECK_UINT32},
      {"row_offsets", p.row_offsets, p.ragged != 0, XQACHECK_UINT32},
      {"beam_index", p.beam_index, p.beam_width > 1, XQACHECK_INT32},
      {"beam_context", p.beam_context, p.beam_width > 1, XQACHECK_UINT32},
      {"sinks", p.sinks, p.sinks.dtype != XQACHECK_NONE, XQACHECK_FP32},
      {"lse", p.lse, p.lse.dtype != XQACHECK_NONE, XQACHECK_FP32},
      {"q", p.q, true, p.q.dtype},
      {"k", p.k, true, p.k.dtype},
      {"v", p.v, p.kv_aliased == 0, p.k.dtype},
      {"rope_table", p.rope_table, p.rope_kind != XQACHECK_ROPE_NONE, XQACHECK_FP32},
      {"k_new", p.k_new, p.k_new.dtype != XQACHECK_NONE, p.q.dtype},
      {"v_new", p.v_new, p.k_new.dtype != XQACHECK_NONE && p.kv_aliased == 0, p.q.dtype},
      {"qkv_bias", p.qkv_bias, p.qkv_bias.dtype != XQACHECK_NONE, XQACHECK_FP32},
      {"out", p.out, true, p.out.dtype},
  };
  for (const auto& [name, tensor, wanted, dtype] : expected) {
    if (!wanted) continue;
    if (tensor.dtype != dtype) return why.say(XQACHECK_INVALID, "%s has dtype %u, not %u", name, tensor.dtype, dtype);
    if (tensor.memory != XQACHECK_HOST) return why.say(XQACHECK_INVALID, "%s is not in host memory", name);
    if (tensor.align % element_bytes(dtype) != 0)
      return why.say(XQACHECK_INVALID, "%s is aligned to %u bytes, less than an element", name, tensor.align);
  }
  return XQACHECK_OK;
}

xqacheck_status check_variants(const xqacheck_problem& p, const Reason& why) {
  if (p.mask_kind > XQACHECK_MASK_TREE) return why.say(XQACHECK_UNSUPPORTED, "mask_kind %u is unknown", p.mask_kind);
  if (p.mask.dtype != XQACHECK_NONE && std::uint64_t{p.mask_words} * 32 < p.max_rows)
    return why.say(XQACHECK_INVALID, "mask_words %u do not hold max_rows %u bits", p.mask_words, p.max_rows);
  if (p.rope_kind > XQACHECK_ROPE_GPTJ) return why.say(XQACHECK_UNSUPPORTED, "rope_kind %u is unknown", p.rope_kind);
  if (p.rope_kind != XQACHECK_ROPE_NONE && (p.rotary_dim == 0 || p.rotary_dim % 16 != 0 || p.rotary_dim > p.head_dim))
    return why.say(XQACHECK_INVALID, "rotary_dim %u is not a multiple of 16 in 16..head_dim %u", p.rotary_dim,
                   p.head_dim);
  if (p.k_new.dtype != XQACHECK_NONE && p.beam_width > 1)
    return why.say(XQACHECK_UNSUPPORTED, "beam_width %u with tokens to append (k_new)", p.beam_width);
  if (p.lse.dtype != XQACHECK_NONE && !(p.lse_base > 1))
    return why.say(XQACHECK_INVALID, "lse_base %g is not above 1", static_cast<double>(p.lse_base));
  return XQACHECK_OK;
}

}  // namespace

xqacheck_status supports(const xqacheck_problem& problem, char* why, std::size_t why_bytes) {
  const Reason reason{why, why_bytes};
  if (problem.struct_bytes < sizeof(xqacheck_problem))
    return reason.say(XQACHECK_INVALID, "struct_bytes %u is less than the %zu of ABI version %u", problem.struct_bytes,
                      sizeof(xqacheck_problem), XQACHECK_ABI_VERSION);
  for (const auto check : {check_sizes, check_variants, check_tensors})
    if (const xqacheck_status status = check(problem, reason); status != XQACHECK_OK) return status;
  if (const char* fault = xqacheck_contradiction(&problem); fault != nullptr)
    return reason.say(XQACHECK_INVALID, "%s", fault);
  return XQACHECK_OK;
}

}  // namespace xqacheck::kernels::flash32
