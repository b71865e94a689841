#include "reference/problem.hpp"

#include <unistd.h>

#include <iterator>
#include <new>

#include "reference/case_line.hpp"
#include "reference/fill.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"

namespace xqacheck::reference {
namespace {

constexpr const char* kNames[] = {
    "q",           "k",       "v",          "page_table",   "seq_lens",      "mask",  "depths",
    "row_offsets", "sinks",   "beam_index", "beam_context", "rope_table",    "k_new", "v_new",
    "qkv_bias",    "q_scale", "k_scale",    "v_scale",      "rcp_out_scale", "out",   "lse"};
static_assert(std::size(kNames) == static_cast<std::size_t>(TensorId::count));

// What a kernel may rely on: 16 bytes for the large tensors, as vector loads and tensor maps need; that of the element
// else.
constexpr std::uint32_t kDataAlign = 16, kTableAlign = 4;

void check_memory(const Case& c) {
  const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  // A machine that has less would be driven into its out-of-memory killer, which no caller can catch.
  if (estimated_bytes(c) > memory) throw std::bad_alloc();
}

// Field of the description that belongs to a tensor; nullptr for the scales, which have another type.
xqacheck_tensor* field_of(xqacheck_problem& d, TensorId id) {
  switch (id) {
    case TensorId::q:
      return &d.q;
    case TensorId::k:
      return &d.k;
    case TensorId::v:
      return &d.v;
    case TensorId::page_table:
      return &d.page_table;
    case TensorId::seq_lens:
      return &d.seq_lens;
    case TensorId::mask:
      return &d.mask;
    case TensorId::depths:
      return &d.depths;
    case TensorId::row_offsets:
      return &d.row_offsets;
    case TensorId::sinks:
      return &d.sinks;
    case TensorId::beam_index:
      return &d.beam_index;
    case TensorId::beam_context:
      return &d.beam_context;
    case TensorId::rope_table:
      return &d.rope_table;
    case TensorId::k_new:
      return &d.k_new;
    case TensorId::v_new:
      return &d.v_new;
    case TensorId::qkv_bias:
      return &d.qkv_bias;
    default:
      return nullptr;
  }
}

bool is_large(TensorId id) {
  return id <= TensorId::v || id == TensorId::k_new || id == TensorId::v_new;
}

void point(xqacheck_tensor& tensor, const HostBuffer& buffer, std::uint32_t align) {
  // The C interface has one pointer type for inputs and outputs; kernels append to k and v only.
  tensor.data = const_cast<std::byte*>(buffer.data());
  tensor.bytes = buffer.size();
  tensor.memory = XQACHECK_HOST;
  tensor.align = align;
}

}  // namespace

const char* name_of(TensorId id) {
  return id < TensorId::count ? kNames[static_cast<int>(id)] : "?";
}

xqacheck_dtype abi_dtype(Dtype dtype) {
  constexpr xqacheck_dtype kDtypes[] = {XQACHECK_FP16, XQACHECK_BF16, XQACHECK_INT8, XQACHECK_E4M3};
  return kDtypes[static_cast<int>(dtype)];
}

std::size_t Problem::out_bytes() const {
  const xqacheck_problem& d = description;
  if (d.total_rows == 0 || d.q_heads == 0) return 0;
  const std::uint64_t elements = (d.total_rows - std::uint64_t{1}) * static_cast<std::uint64_t>(d.out_stride_row) +
                                 (d.q_heads - std::uint64_t{1}) * static_cast<std::uint64_t>(d.out_stride_head) +
                                 d.head_dim_v;
  return elements * bytes_of_abi(d.out.dtype);
}

std::size_t Problem::lse_bytes() const {
  return description.lse.dtype == XQACHECK_NONE ? 0 : std::size_t{description.total_rows} * description.q_heads * 4;
}

xqacheck_problem Problem::view(void* out, void* lse) const {
  xqacheck_problem d = description;
  d.struct_bytes = sizeof d;
  for (int i = 0; i < static_cast<int>(TensorId::count); ++i) {
    const auto id = static_cast<TensorId>(i);
    xqacheck_tensor* field = field_of(d, id);
    if (field != nullptr && !tensor(id).empty()) point(*field, tensor(id), is_large(id) ? kDataAlign : kTableAlign);
  }
  // One pool for K and V.
  if (tensor(TensorId::v).empty()) point(d.v, tensor(TensorId::k), kDataAlign);
  d.q_scale.pointer = tensor(TensorId::q_scale).as<float>();
  d.k_scale.pointer = tensor(TensorId::k_scale).as<float>();
  d.v_scale.pointer = tensor(TensorId::v_scale).as<float>();
  d.rcp_out_scale.pointer = tensor(TensorId::rcp_out_scale).as<float>();
  d.out.data = out;
  d.out.bytes = out_bytes();
  d.out.align = kDataAlign;
  if (lse_bytes() != 0) {
    d.lse.data = lse;
    d.lse.bytes = lse_bytes();
    d.lse.align = kTableAlign;
  }
  return d;
}

Problem Problem::clone() const {
  Problem copy;
  copy.source = source;
  copy.description = description;
  for (int i = 0; i < static_cast<int>(TensorId::count); ++i) copy.tensors[i] = tensors[i].clone();
  return copy;
}

Problem make_problem(const Case& source) {
  validate(source);
  check_memory(source);
  Problem p;
  p.source = source;
  const Case& c = p.source;
  const Shape shape = shape_of(c);
  xqacheck_problem& d = p.description;
  d.struct_bytes = sizeof d;
  d.requests = shape.requests;
  d.q_heads = c.q_heads;
  d.kv_heads = c.kv_heads;
  d.head_dim = c.dim;
  d.head_dim_v = c.dim_v;
  d.max_seq_len = shape.max_seq_len;
  d.max_rows = shape.max_rows;
  d.total_rows = shape.total_rows();
  d.window = c.window;
  d.skip_softmax_factor = c.skip;
  d.out.dtype = abi_dtype(c.out);
  d.out_stride_row = shape.out_stride_row;
  d.out_stride_head = shape.out_stride_head;
  d.lse.dtype = c.lse ? XQACHECK_FP32 : XQACHECK_NONE;
  d.lse_base = 2.718281828459045f;
  d.sm_count = kDefaultSmCount;

  const Making m{c, shape, plan_pages(c, shape), DataSource(c)};
  fill_cache(m, p);
  fill_rows(m, p);
  fill_masks(m, p);
  fill_beams(m, p);
  fill_rope(m, p);
  fill_sinks(m, p);
  fill_scalars(m, p);
  apply_injections(m, p);
  return p;
}

}  // namespace xqacheck::reference
