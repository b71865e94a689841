#include "properties/generate.hpp"

#include <algorithm>
#include <cmath>

#include "properties/case_steps.hpp"
#include "properties/draw_lengths.hpp"
#include "properties/draws.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

void draw_shape(Draws& draws, const Profile& profile, Case& c) {
  const Formats formats = draws.pick(profile.formats);
  c.q = formats.q, c.kv = formats.kv, c.out = formats.out;
  c.dim = draws.pick(profile.dims);
  // Half of all cases use the two head dims that real models use most, if they may.
  const std::uint32_t usual = draws.one_in(2) ? 128 : 64;
  if (draws.one_in(2) && std::count(profile.dims.begin(), profile.dims.end(), usual)) c.dim = usual;
  c.dim_v = c.dim;
  const std::uint32_t group = draws.pick(profile.groups);
  const std::uint32_t heads[] = {1, 1, 1, 2, 2, 3, 4, 8};
  c.kv_heads = draws.pick(heads);
  while (c.kv_heads > 1 && group * c.kv_heads > 32) c.kv_heads /= 2;  // keeps wide groups small enough to be long
  c.page = draws.pick(profile.pages);
  c.layout = draws.pick(profile.layouts);
  if (profile.mla && draws.one_in(16)) c.dim = 576, c.dim_v = 512, c.kv_heads = 1;
  c.q_heads = group * c.kv_heads;
  if (profile.padding && draws.one_in(6)) {
    const std::uint32_t pads[] = {0, 8, 16, 64};  // multiples of 16 bytes for 16-bit formats and of 8 for 8-bit ones
    c.pad_page = draws.pick(pads), c.pad_token = draws.pick(pads), c.pad_head = draws.pick(pads);
    c.q_pad_row = draws.pick(pads), c.q_pad_head = draws.pick(pads);
    c.out_pad_row = draws.pick(pads), c.out_pad_head = draws.pick(pads);
  }
}

void draw_rows(Draws& draws, const Profile& profile, std::uint32_t requests, Case& c) {
  c.mask = draws.pick(profile.masks);
  if (c.mask == MaskKind::none) {
    if (profile.beam && draws.one_in(4)) c.beam = draws.one_in(3) ? 2 : 4;
    return;
  }
  const std::uint32_t usual[] = {1, 2, 3, 4, 5, 7, 8, 15, 16};
  const auto rows = [&] { return std::min(draws.pick(usual), profile.max_draft); };
  c.draft = {rows()};
  if (profile.ragged_draft && requests > 1 && draws.one_in(3)) {
    c.draft.resize(requests);
    for (std::uint32_t& n : c.draft) n = rows();
  }
  if (c.mask == MaskKind::tree) {
    for (const std::uint32_t n : c.draft) {
      Tree tree(n);
      // Parent 1 + j is an earlier draft, 0 the context: i + 1 choices for draft i.
      for (std::uint32_t i = 0; i < n; ++i) tree[i] = draws.below(i + 1);
      c.tree.push_back(tree);
    }
  }
  if (c.mask == MaskKind::bits) {
    for (const std::uint32_t n : c.draft) {
      std::vector<std::uint32_t> rows_of_request(n);
      for (std::uint32_t i = 0; i < n; ++i)
        rows_of_request[i] = draws.next() & ((n < 32 ? 1u << n : 0u) - 1u) & (draws.one_in(8) ? 0u : ~0u);
      c.bits.push_back(rows_of_request);
    }
  }
}

void draw_pages(Draws& draws, const Profile& profile, Case& c) {
  if (c.page != 0) c.table = draws.pick(profile.tables);
  if (c.page != 0) {
    const UnusedEntries entries[] = {UnusedEntries::spare, UnusedEntries::zero, UnusedEntries::minus,
                                     UnusedEntries::huge};
    c.unused = draws.pick(entries);
    const std::uint32_t spares[] = {0, 1, 2, 2, 2, 5};
    c.spare = draws.pick(spares);
    if (profile.padding && draws.one_in(6)) c.table_pad = draws.between(1, 3);
  }
  const TailKind tails[] = {TailKind::random, TailKind::zero, TailKind::max, TailKind::nan};
  c.tail = tails[draws.below(profile.poisoned_tail ? 4 : 3)];
}

void draw_variants(Draws& draws, const Profile& profile, Case& c) {
  c.sinks = draws.pick(profile.sinks);
  if (c.sinks == SinkKind::level) {
    const float levels[] = {-4, 0, 2, 5};
    c.sink_level = draws.pick(levels);
  }
  if (profile.window && draws.one_in(4)) c.window = draw_window(draws, c);
  if (profile.skip && c.mask == MaskKind::none && draws.one_in(8)) {
    // A tile is skipped where its weights are below factor / length: shares of the longest request, as a factor above
    // it switches skipping off, and one that does just that.
    const auto longest = static_cast<float>(*std::max_element(c.lens.begin(), c.lens.end()));
    const float factors[] = {1, std::floor(longest / 8), std::floor(longest / 2), 1000};
    c.skip = std::max(1.0f, draws.pick(factors));
  }
  if (c.beam == 1) c.rope = draws.pick(profile.ropes);
  if (c.rope != RopeStyle::none) {
    if (draws.one_in(3)) c.rotary_dim = 16 * draws.between(1, c.dim / 16);
    if (c.rotary_dim == c.dim) c.rotary_dim = 0;
    c.bias = profile.bias && draws.one_in(3);
  }
  c.lse = profile.lse && draws.one_in(3);
  if (c.beam > 1 && draws.one_in(2)) c.beam_context = *std::min_element(c.lens.begin(), c.lens.end()) / 2;
}

void draw_contents(Draws& draws, const Profile& profile, Case& c) {
  const bool usual = draws.one_in(3) && std::count(profile.data.begin(), profile.data.end(), DataKind::normal) > 0;
  c.data = usual ? DataKind::normal : draws.pick(profile.data);
  if (c.data == DataKind::neginf && !is_16bit(c.kv)) c.data = DataKind::normal;
  const bool quantised = !is_16bit(c.kv);
  c.k_scale = c.v_scale = default_kv_scale(c.kv);
  if (profile.scales && draws.one_in(2)) {
    const float factors[] = {0.5f, 0.75f, 1.0f, 1.375f, 2.0f};  // exact in fp32, and distinct products
    c.q_scale = draws.pick(factors);
    if (quantised) c.k_scale *= draws.pick(factors), c.v_scale *= draws.pick(factors);
    if (!profile.scales_apart) c.v_scale = c.k_scale;
    if (c.out == Dtype::e4m3) c.rcp_out_scale = 4 * draws.pick(factors);
  }
  if (profile.nan_inputs && draws.one_in(24) && c.rope == RopeStyle::none) {
    Injection bad;
    bad.value = static_cast<Injection::Value>(draws.below(is_16bit(c.kv) ? 3 : 1));
    bad.tensor = static_cast<Injection::Tensor>(draws.below(3));
    if (!is_16bit(c.kv) && (c.kv == Dtype::int8 || bad.tensor == Injection::Tensor::q))
      bad.tensor = Injection::Tensor::q;
    bad.request = draws.below(static_cast<std::uint32_t>(c.lens.size()));
    const std::uint32_t most = bad.tensor == Injection::Tensor::q ? c.rows(bad.request) : c.lens[bad.request];
    if (most > 0) bad.token = draws.below(most), c.inject = {bad};
  }
  c.geo = draws.below(1000);
  c.seed = draws.below(100'000);
}

}  // namespace

Case draw_case(std::uint64_t seed, std::uint64_t index, const Profile& profile, const SizeLimits& limits) {
  // A draw that contradicts itself (rare) is thrown away; 64 attempts in a row mean a defect in this file.
  for (std::uint32_t attempt = 0; attempt < 64; ++attempt) {
    Draws draws(seed, index, attempt);
    Case c;
    const std::uint32_t batch[] = {1, 1, 1, 2, 2, 3, 4, 7};
    const std::uint32_t requests = draws.pick(batch);
    draw_shape(draws, profile, c);
    draw_rows(draws, profile, requests, c);
    draw_lengths(draws, profile, limits, requests, c);
    draw_pages(draws, profile, c);
    draw_variants(draws, profile, c);
    draw_contents(draws, profile, c);
    c = settled(std::move(c));
    if (is_consistent(c)) return c;
  }
  return Case{};
}

}  // namespace xqacheck::properties
