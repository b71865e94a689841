// Filling of a problem's tensors, one function for each group. Every function sets the buffers it names and the fields
// of `description` that belong to them (dtype, strides, flags); all are called by make_problem, in this order.
#pragma once

#include "reference/data_source.hpp"
#include "reference/page_plan.hpp"
#include "reference/problem.hpp"
#include "reference/shape.hpp"

namespace xqacheck::reference {

struct Making {
  const Case& c;
  Shape shape;
  PagePlan plan;
  DataSource source;
};

// k, v, page_table: the pool with poison wherever no live token or tail lies.
void fill_cache(const Making& m, Problem& p);
// q and, with fused RoPE, k_new, v_new and qkv_bias.
void fill_rows(const Making& m, Problem& p);
// mask, depths, row_offsets.
void fill_masks(const Making& m, Problem& p);
// beam_index, beam_context.
void fill_beams(const Making& m, Problem& p);
// rope_table.
void fill_rope(const Making& m, Problem& p);
// sinks.
void fill_sinks(const Making& m, Problem& p);
// seq_lens and the four scales.
void fill_scalars(const Making& m, Problem& p);
// The case's injections, over everything else.
void apply_injections(const Making& m, Problem& p);

// Elements below which a tensor is filled by one thread: starting a team costs more, above all on a busy machine.
inline constexpr std::uint64_t kParallelElements = std::uint64_t{1} << 19;

xqacheck_dtype abi_dtype(Dtype dtype);

}  // namespace xqacheck::reference
