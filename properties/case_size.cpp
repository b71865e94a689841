#include <algorithm>
#include <cmath>

#include "properties/reductions.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

// Not its default: 1; weights order what a person would rather not see in a case line.
double one_if(bool condition) {
  return condition ? 1 : 0;
}

double size_of_rows(const Case& c) {
  double size = 0;
  for (const std::uint32_t n : c.draft) size += 4 + 2.0 * n;
  for (const Tree& tree : c.tree) {
    size += 4;
    for (const std::uint32_t parent : tree) size += 1 + parent;
  }
  for (const auto& request : c.bits) {
    size += 4;
    for (const std::uint32_t row : request) size += 1 + std::ldexp(static_cast<double>(row), -32);
  }
  return size;
}

double distance(float value, float usual) {
  return value == usual ? 0 : 1;
}

}  // namespace

double size_of(const Case& c) {
  const Case plain;
  double size = 0;
  for (const std::uint32_t length : c.lens) size += 10 + length;
  size += c.capacity ? 1 + 0.01 * c.capacity : 0;
  size += c.q_heads + c.kv_heads + c.dim / 16.0 + 4 * one_if(c.dim != c.dim_v);
  size += 0.01 * c.page;
  size += one_if(c.layout != plain.layout) + 0.001 * (c.pad_page + c.pad_token + c.pad_head + c.table_pad) +
          0.001 * (c.q_pad_row + c.q_pad_head + c.out_pad_row + c.out_pad_head);
  size += one_if(c.q == Dtype::fp16) + 2 * one_if(c.out != c.q);
  size += c.kv == Dtype::e4m3 ? 4 : c.kv == Dtype::int8 ? 3 : 0;
  size += distance(c.q_scale, 1) + distance(c.rcp_out_scale, 1) + distance(c.k_scale, default_kv_scale(c.kv)) +
          distance(c.v_scale, default_kv_scale(c.kv));
  size += one_if(c.table != TableKind::identity) + one_if(c.unused != plain.unused) + 0.01 * c.spare +
          one_if(c.tail != TailKind::zero);
  size += c.sinks == SinkKind::none ? 0 : c.sinks == SinkKind::level ? 2 + distance(c.sink_level, 0) : 4;
  size += c.window ? 2 + c.window : 0;
  size += size_of_rows(c) + (c.mask == MaskKind::none ? 0 : c.mask == MaskKind::causal ? 1 : 3);
  size += c.beam > 1 ? 2.0 * c.beam + (c.beam_context != kHalfOfLength ? 1 + 0.01 * c.beam_context : 0) : 0;
  size += c.skip != 0 ? 2 : 0;
  size += c.rope == RopeStyle::none ? 0 : c.rope == RopeStyle::neox ? 2 : 4;
  size += c.rotary_dim ? 1 + 0.01 * c.rotary_dim : 0;
  size += one_if(c.bias) + one_if(c.lse);
  size += c.data == DataKind::ints ? 0 : c.data == DataKind::normal ? 1 : 2;
  for (const Injection& bad : c.inject) size += 2 + 0.01 * bad.token + 0.01 * bad.request;
  size += one_if(!c.file.empty()) + one_if(c.geo != 0) + one_if(c.seed != 0);
  return size;
}

}  // namespace xqacheck::properties
