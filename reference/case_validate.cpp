#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "reference/case_limits.hpp"
#include "reference/case_line.hpp"
#include "reference/line_text.hpp"
#include "reference/list_text.hpp"
#include "reference/names.hpp"
#include "reference/shape.hpp"

namespace xqacheck::reference {
namespace {

template <class Value>
void need(bool condition, std::string_view field, const Value& value, std::string_view allowed) {
  if (!condition) throw CaseError(std::string(field), fmt::format("{}", value), std::string(allowed));
}

void at_most(std::string_view field, std::uint64_t value, std::uint64_t limit) {
  if (value > limit) throw CaseError(std::string(field), fmt::format("{}", value), fmt::format("at most {}", limit));
}

void check_scale(std::string_view field, float value, bool fixed_to_one, std::string_view why) {
  need(std::isfinite(value) && value > 0, field, write_float(value), "must be positive and finite");
  if (fixed_to_one) need(value == 1, field, write_float(value), why);
}

void check_sizes(const Case& c) {
  need(c.q_heads >= 1 && c.kv_heads >= 1 && c.q_heads % c.kv_heads == 0, "heads",
       fmt::format("{}/{}", c.q_heads, c.kv_heads), "query heads must be a multiple of KV heads, both at least 1");
  at_most("heads", c.q_heads, kMaxHeads);
  const bool usual = c.dim == c.dim_v && c.dim % 16 == 0 && c.dim >= 16 && c.dim <= 256;
  need(usual || (c.dim == 576 && c.dim_v == 512), "dim", fmt::format("{}/{}", c.dim, c.dim_v),
       "must be a multiple of 16 from 16 to 256, or 576/512 (MLA)");
  need(!c.lens.empty(), "len", "", "needs at least one request");
  at_most("len", c.lens.size(), kMaxRequests);
  for (std::uint32_t len : c.lens) at_most("len", len, kMaxTokens);
  at_most("cap", c.capacity, kMaxTokens);
  need(c.capacity == 0 || c.capacity >= c.max_len(), "cap", c.capacity,
       fmt::format("must be 0 or at least the longest length, {}", c.max_len()));
  need(c.page == 0 || (std::has_single_bit(c.page) && c.page <= kMaxPageTokens), "page", c.page,
       fmt::format("must be 0 (contiguous) or a power of two up to {}", kMaxPageTokens));
}

void check_layout(const Case& c) {
  need(c.layout != Layout::pool || c.page != 0, "layout", "pool", "one pool for K and V needs pages: page=0 has none");
  need(c.layout != Layout::pool || !c.mla(), "layout", "pool", "MLA has one tensor for K and V: use nhd or hnd");
  for (std::uint32_t pad : {c.pad_page, c.pad_token, c.pad_head}) at_most("pad", pad, kMaxPad);
  for (std::uint32_t pad : {c.q_pad_row, c.q_pad_head}) at_most("qpad", pad, kMaxPad);
  for (std::uint32_t pad : {c.out_pad_row, c.out_pad_head}) at_most("outpad", pad, kMaxPad);
  at_most("tpad", c.table_pad, kMaxPad);
  at_most("spare", c.spare, kMaxSpare);
  if (c.page == 0) {
    need(c.table == TableKind::identity, "table", name_of(c.table), "page=0 has no page table: use identity");
    need(c.unused == UnusedEntries::spare, "unused", unused_names()[static_cast<std::size_t>(c.unused)],
         "page=0 has no page table: leave it out");
    need(c.spare == 0, "spare", c.spare, "page=0 has no unused pages: use 0");
    need(c.table_pad == 0, "tpad", c.table_pad, "page=0 has no page table: use 0");
  } else {
    need(c.unused != UnusedEntries::spare || c.spare > 0, "spare", c.spare,
         "unused=spare needs at least one unused page");
  }
}

void check_formats(const Case& c) {
  need(is_16bit(c.q), "q", name_of(c.q), "must be fp16 or bf16");
  need(!is_16bit(c.kv) || c.kv == c.q, "kv", name_of(c.kv),
       fmt::format("must be {} (the format of q), int8 or e4m3", name_of(c.q)));
  need(c.out == c.q || c.out == Dtype::e4m3, "out", name_of(c.out),
       fmt::format("must be {} (the format of q) or e4m3", name_of(c.q)));
  check_scale("qscale", c.q_scale, false, "");
  check_scale("kscale", c.k_scale, is_16bit(c.kv), "16-bit caches have scale 1");
  check_scale("vscale", c.v_scale, is_16bit(c.kv), "16-bit caches have scale 1");
  check_scale("rcpout", c.rcp_out_scale, c.out != Dtype::e4m3, "only out=e4m3 has an output scale");
  need(!c.mla() || c.v_scale == c.k_scale, "vscale", write_float(c.v_scale),
       "MLA has one tensor for K and V: use kscale");
  need(c.tail != TailKind::nan || c.kv != Dtype::int8, "tail", "nan", "int8 has no NaN: use random, max or zero");
}

// Trees and written masks: one for all requests or one each …
template <class Rows>
void check_pieces(std::string_view field, const std::vector<Rows>& all, const Case& c) {
  need(all.size() <= 1 || all.size() == c.lens.size(), field, fmt::format("<{} pieces>", all.size()),
       fmt::format("must be one for all, or one for each of the {} requests", c.lens.size()));
}

// … of the request's number of rows.
template <class Rows>
const Rows& rows_for(std::string_view field, const std::vector<Rows>& all, const Case& c, std::uint32_t b) {
  const Rows& rows = all.size() == 1 ? all[0] : all[b];
  need(rows.size() == c.rows(b), field, fmt::format("<{} entries>", rows.size()),
       fmt::format("request {} has {} draft tokens", b, c.rows(b)));
  return rows;
}

void check_masks(const Case& c) {
  if (c.mask == MaskKind::bits) at_most("draft", c.max_rows(), kMaxBitsRow);
  need((c.mask == MaskKind::tree) == !c.tree.empty(), "mask", name_of(c.mask), "tree= and no other mask go together");
  need((c.mask == MaskKind::bits) == !c.bits.empty(), "mask", name_of(c.mask), "rows of bits and no name go together");
  for (std::uint32_t b = 0; b < c.requests(); ++b) {
    if (c.mask == MaskKind::tree) {
      const Tree& tree = rows_for("tree", c.tree, c, b);
      for (std::size_t i = 0; i < tree.size(); ++i) {
        need(tree[i] <= i, "tree", tree[i], fmt::format("the parent of draft {} must be 0 to {}", i + 1, i));
      }
    } else if (c.mask == MaskKind::bits) {
      for (std::uint32_t word : rows_for("mask", c.bits, c, b)) {
        need((std::uint64_t{word} >> c.rows(b)) == 0, "mask", fmt::format("{:x}", word),
             fmt::format("request {} has {} draft tokens: higher bits must be 0", b, c.rows(b)));
      }
    }
  }
}

void check_drafts(const Case& c) {
  if (c.draft.empty()) {
    need(c.mask == MaskKind::none, "mask", name_of(c.mask), "needs draft=");
    need(c.tree.empty() && c.bits.empty(), "tree", "", "needs draft tokens");
    return;
  }
  need(c.mask != MaskKind::none, "mask", "none",
       "draft tokens need a mask: causal, full, random, tree= or rows of bits");
  check_pieces("tree", c.tree, c);
  check_pieces("mask", c.bits, c);
  need(c.draft.size() == 1 || c.draft.size() == c.lens.size(), "draft", write_list(c.draft),
       fmt::format("must be one number, or one for each of the {} requests", c.lens.size()));
  std::uint64_t total = 0;
  for (std::uint32_t b = 0; b < c.requests(); ++b) {
    at_most("draft", c.rows(b), kMaxDraft);
    total += c.rows(b);
    need(c.lens[b] >= c.rows(b), "len", c.lens[b],
         fmt::format("request {} has {} draft tokens, which its length includes", b, c.rows(b)));
  }
  need(total > 0, "draft", write_list(c.draft), "needs at least one draft token in all");
  check_masks(c);
}

void check_beams(const Case& c) {
  need(c.beam >= 1 && c.beam <= kMaxBeam, "beam", c.beam, fmt::format("must be 1 to {}", kMaxBeam));
  need(c.beam == 1 || c.draft.empty(), "beam", c.beam, "beams and draft tokens exclude each other");
  need(c.beam > 1 || c.beam_context == kHalfOfLength, "beam", fmt::format("1/{}", c.beam_context),
       "a shared context needs a width above 1");
  if (c.beam_context != kHalfOfLength) at_most("beam", c.beam_context, kMaxTokens);
}

void check_rope(const Case& c) {
  if (c.rope == RopeStyle::none) {
    need(c.rotary_dim == 0, "rope", fmt::format("none/{}", c.rotary_dim), "none has no rotary dimension");
    need(!c.bias, "bias", 1, "the bias belongs to fused RoPE: add rope=");
    return;
  }
  need(c.rotary_dim % 16 == 0 && c.rotary_dim <= c.dim, "rope", fmt::format("{}/{}", name_of(c.rope), c.rotary_dim),
       fmt::format("the rotary dimension must be a multiple of 16 up to {}", c.dim));
  need(!c.mla(), "rope", name_of(c.rope), "MLA has no fused RoPE");
  need(c.table != TableKind::aliased, "rope", name_of(c.rope), "table=aliased would append two tokens to one place");
  need(c.data != DataKind::neginf, "rope", name_of(c.rope), "data=neginf would turn to NaN when rotated");
  for (std::uint32_t b = 0; b < c.requests(); ++b) {
    need(c.lens[b] >= c.rows(b), "len", c.lens[b], fmt::format("rope= appends a token to request {}: at least 1", b));
  }
}

void check_injections(const Case& c) {
  at_most("inject", c.inject.size(), kMaxInjections);
  for (const Injection& i : c.inject) {
    const std::string text = write_injections({i});
    need(i.request < c.requests(), "inject", text, fmt::format("there are {} requests", c.requests()));
    const bool is_q = i.tensor == Injection::Tensor::q;
    const std::uint32_t limit = is_q ? c.rows(i.request) * c.beam : c.lens[i.request];
    need(i.token < limit, "inject", text,
         fmt::format("request {} has {} {}", i.request, limit, is_q ? "rows of q" : "tokens"));
    if (is_q || is_16bit(c.kv) || i.value == Injection::Value::huge) continue;
    need(c.kv == Dtype::e4m3 && i.value == Injection::Value::nan, "inject", text,
         fmt::format("{} cannot hold this value", name_of(c.kv)));
  }
}

}  // namespace

void validate(const Case& c) {
  check_sizes(c);
  check_layout(c);
  check_formats(c);
  check_drafts(c);
  check_beams(c);
  need(c.sinks == SinkKind::level || c.sink_level == 0, "sinks", write_float(c.sink_level),
       "a named kind has no level");
  need(std::isfinite(c.sink_level), "sinks", write_float(c.sink_level), "must be finite");
  need(std::isfinite(c.skip) && c.skip >= 0, "skip", write_float(c.skip), "must be finite and not negative");
  check_rope(c);
  check_injections(c);
  need(c.data != DataKind::neginf || is_16bit(c.kv), "data", "neginf",
       "needs a cache that can hold -inf: a 16-bit one");
  need(!c.file.empty() || c.file_hash == 0, "file", "", "a hash needs a path");
  if (c.page != 0) {
    double pages = 2.0 * c.spare;  // times two: a shared pool counts K and V apart
    for (std::uint32_t b = 0; b < c.requests(); ++b) pages += 2.0 * blocks_of(c, b) * c.beam;
    need(pages < kMaxPages, "len", write_list(c.lens),
         fmt::format("would take {:.3g} pages, at most {:.3g}", pages, kMaxPages));
  }
  const double bytes = estimated_bytes(c);
  need(bytes <= double(kMaxBytes), "len", write_list(c.lens),
       fmt::format("the tensors would take {:.3g} bytes, at most {:.3g} are allowed", bytes, double(kMaxBytes)));
}

}  // namespace xqacheck::reference
