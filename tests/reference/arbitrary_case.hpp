// RapidCheck generator of valid cases that use every feature of the case line, small enough to be made concrete
// quickly.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "reference/case_line.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::tests {

// `low` to `high`, both included.
inline std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

// One of the enumerators up to `last`; shrinks towards the first.
template <class Enum>
Enum pick_enum(Enum last) {
  return static_cast<Enum>(pick(0, static_cast<std::uint32_t>(last)));
}

inline float pick_float() {
  // Numbers with a long shortest form as well as round ones.
  const std::uint32_t mantissa = pick(1, 0xFFFFFF);
  const std::uint32_t power = pick(0, 30);
  return static_cast<float>(mantissa) / static_cast<float>(1u << power);
}

inline void pick_drafts(reference::Case& c) {
  using namespace reference;
  const std::uint32_t most = std::min<std::uint32_t>(*std::min_element(c.lens.begin(), c.lens.end()), 6);
  if (most == 0) return;
  const bool ragged = c.lens.size() > 1 && pick(0, 1) == 1;
  c.draft.assign(ragged ? c.lens.size() : 1, 0);
  for (std::uint32_t& rows : c.draft) rows = pick(ragged ? 0 : 1, most);
  if (c.draft[0] == 0) c.draft[0] = 1;
  c.mask = static_cast<MaskKind>(pick(1, static_cast<std::uint32_t>(MaskKind::bits)));
  const std::size_t pieces = ragged || pick(0, 1) == 1 ? c.lens.size() : 1;
  for (std::size_t b = 0; b < pieces; ++b) {
    const std::uint32_t rows = c.rows(b);
    Tree tree;
    std::vector<std::uint32_t> bits;
    for (std::uint32_t i = 0; i < rows; ++i) {
      tree.push_back(pick(0, i));
      bits.push_back(pick(0, (1u << rows) - 1));
    }
    if (c.mask == MaskKind::tree) c.tree.push_back(tree);
    if (c.mask == MaskKind::bits) c.bits.push_back(bits);
  }
}

inline void pick_injections(reference::Case& c) {
  using reference::Injection;
  for (std::uint32_t n = pick(0, 2); n > 0; --n) {
    Injection i;
    i.tensor = pick_enum(Injection::Tensor::v);
    i.value = pick_enum(Injection::Value::huge);
    const bool cache = i.tensor != Injection::Tensor::q;
    if (cache && c.kv == reference::Dtype::int8) i.value = Injection::Value::huge;
    if (cache && c.kv == reference::Dtype::e4m3 && i.value != Injection::Value::huge) i.value = Injection::Value::nan;
    i.request = pick(0, c.requests() - 1);
    const std::uint32_t limit = cache ? c.lens[i.request] : c.rows(i.request) * c.beam;
    if (limit == 0) continue;
    i.token = pick(0, limit - 1);
    c.inject.push_back(i);
  }
}

inline reference::Case draw_case() {
  using namespace reference;
  Case c;
  c.kv_heads = pick(1, 3);
  c.q_heads = c.kv_heads * pick(1, 5);
  c.dim = c.dim_v = 16 * pick(1, 16);
  if (pick(0, 9) == 9) c.dim = 576, c.dim_v = 512;
  c.lens.assign(pick(1, 4), 0);
  for (std::uint32_t& len : c.lens) len = pick(0, 150);
  c.capacity = pick(0, 2) == 2 ? c.max_len() + pick(0, 70) : 0;
  c.page = pick(0, 4) == 0 ? 0 : 1u << pick(0, 7);
  c.layout = pick_enum(Layout::pool);
  if (pick(0, 3) == 3) c.pad_page = pick(0, 40), c.pad_token = pick(0, 40), c.pad_head = pick(0, 40);
  if (pick(0, 3) == 3) c.q_pad_row = pick(0, 40), c.q_pad_head = pick(0, 40);
  if (pick(0, 3) == 3) c.out_pad_row = pick(0, 40), c.out_pad_head = pick(0, 40);
  c.table_pad = pick(0, 3) == 3 ? pick(0, 9) : 0;
  c.q = pick_enum(Dtype::bf16);
  c.kv = pick_enum(Dtype::e4m3);
  c.out = pick(0, 3) == 3 ? Dtype::e4m3 : c.q;
  c.q_scale = pick(0, 1) ? pick_float() : 1;
  c.k_scale = pick(0, 1) ? pick_float() : default_kv_scale(c.kv);
  c.v_scale = pick(0, 1) ? pick_float() : default_kv_scale(c.kv);
  c.rcp_out_scale = pick_float();
  c.table = pick(0, 19) == 19 ? TableKind::far : pick_enum(TableKind::aliased);
  c.unused = pick_enum(UnusedEntries::huge);
  c.spare = pick(0, 3);
  c.tail = pick_enum(c.kv == Dtype::int8 ? TailKind::zero : TailKind::nan);
  c.sinks = pick_enum(SinkKind::extreme);
  c.sink_level = pick_float() * (pick(0, 1) ? 1.0f : -1.0f);
  c.window = pick(0, 1) ? pick(1, 200) : 0;
  const std::uint32_t variant = pick(0, 3);
  if (variant == 1) pick_drafts(c);
  if (variant == 2) c.beam = pick(2, 4), c.beam_context = pick(0, 1) ? pick(0, 100) : kHalfOfLength;
  c.skip = pick(0, 3) == 3 ? pick_float() : 0;
  if (!c.mla() && pick(0, 3) == 3) {
    c.rope = pick_enum(RopeStyle::longrope);
    c.rotary_dim = pick(0, 1) ? 16 * pick(1, c.dim / 16) : 0;
    c.bias = pick(0, 1);
    for (std::uint32_t& len : c.lens) len = std::max<std::uint32_t>(len, 6);
    if (c.capacity != 0) c.capacity = std::max<std::uint32_t>(c.capacity, 6);
  }
  c.lse = pick(0, 1);
  c.data = pick_enum(DataKind::huge);
  if (c.rope != RopeStyle::none && c.data == DataKind::neginf) c.data = DataKind::normal;
  c.geo = *rc::gen::arbitrary<std::uint64_t>();
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  c = settled(c);
  pick_injections(c);
  return c;
}

inline std::string draw_text(std::size_t most) {
  std::string text;
  for (std::uint32_t n = pick(0, static_cast<std::uint32_t>(most)); n > 0; --n) text += static_cast<char>(pick(1, 255));
  return text;
}

inline reference::RunLine draw_run_line() {
  using namespace reference;
  RunLine run;
  run.subject = draw_case();
  run.kernel = draw_text(12);
  run.property = draw_text(6);
  run.device = pick_enum(Device::cuda);
  run.device_index = run.device == Device::cuda ? pick(0, 7) : 0;
  run.plan = pick(0, 1) ? std::to_string(pick(1, 300)) : draw_text(5);
  if (run.plan == "auto" || run.plan.find_first_not_of("0123456789") == std::string::npos) run.plan = "7";
  run.sm_count = pick(0, 200);
  run.place = pick_enum(Placement::begin);
  run.scratch = pick_enum(Fill::random);
  run.output = pick_enum(Fill::random);
  run.fill_seed = *rc::gen::arbitrary<std::uint64_t>();
  run.runs = pick(1, 9);
  run.pdl = pick(0, 1);
  run.launch = pick_enum(LaunchStyle::load);
  run.tool = draw_text(6);
  return run;
}

}  // namespace xqacheck::tests

namespace rc {

template <>
struct Arbitrary<xqacheck::reference::Case> {
  static Gen<xqacheck::reference::Case> arbitrary() { return gen::exec(xqacheck::tests::draw_case); }
};

template <>
struct Arbitrary<xqacheck::reference::RunLine> {
  static Gen<xqacheck::reference::RunLine> arbitrary() { return gen::exec(xqacheck::tests::draw_run_line); }
};

}  // namespace rc

namespace xqacheck::reference {
// RapidCheck shows counterexamples through these: as lines that can be pasted.
inline void showValue(const Case& c, std::ostream& os) {
  os << print_case(c);
}
inline void showValue(const RunLine& run, std::ostream& os) {
  os << print_run_line(run);
}
}  // namespace xqacheck::reference
