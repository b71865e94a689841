#include "reference/case.hpp"

#include <algorithm>

namespace xqacheck::reference {
namespace {

std::uint32_t round_up(std::uint32_t value, std::uint32_t multiple) {
  // 64 bits inside: a length near 2^32 must not wrap to a small capacity.
  const std::uint64_t rounded = (std::uint64_t{value} + multiple - 1) / multiple * multiple;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rounded, 0xFFFFFFFFu));
}

// Whether the place exists and can hold the value: what `validate` demands of an injection.
bool fits(const Case& c, const Injection& i) {
  if (i.request >= c.requests()) return false;
  const bool is_q = i.tensor == Injection::Tensor::q;
  if (i.token >= (is_q ? c.rows(i.request) * c.beam : c.lens[i.request])) return false;
  if (is_q || is_16bit(c.kv) || i.value == Injection::Value::huge) return true;
  return c.kv == Dtype::e4m3 && i.value == Injection::Value::nan;
}

void settle_drafts(Case& c) {
  if (c.mask == MaskKind::tree && !c.tree.empty()) {
    c.draft.clear();
    for (const Tree& tree : c.tree) c.draft.push_back(static_cast<std::uint32_t>(tree.size()));
  }
  if (c.draft.empty()) c.mask = MaskKind::none;
  if (!c.draft.empty() && c.mask == MaskKind::none) c.mask = MaskKind::causal;
  if (c.mask != MaskKind::tree) c.tree.clear();
  if (c.mask != MaskKind::bits) c.bits.clear();
  if (c.beam == 1 || !c.draft.empty()) {
    c.beam = 1;
    c.beam_context = kHalfOfLength;
  }
}

}  // namespace

std::uint32_t Case::rows(std::size_t request) const {
  if (draft.empty()) return 1;
  return draft.size() == 1 ? draft[0] : draft.at(request);
}

std::uint32_t Case::max_rows() const {
  return draft.empty() ? 1 : *std::max_element(draft.begin(), draft.end());
}

std::uint32_t Case::max_len() const {
  return lens.empty() ? 0 : *std::max_element(lens.begin(), lens.end());
}

std::uint32_t Case::max_seq_len() const {
  if (capacity != 0) return capacity;
  // One token at least, so that a batch of empty requests still has a table and a pool.
  return round_up(std::max<std::uint32_t>(max_len(), 1), std::max<std::uint32_t>(page, 1));
}

Case settled(Case c) {
  if (c.page == 0) {
    c.table = TableKind::identity;
    c.unused = UnusedEntries::spare;
    c.spare = 0;
    c.table_pad = 0;
    if (c.layout == Layout::pool) c.layout = Layout::hnd;
  } else if (c.unused == UnusedEntries::spare && c.spare == 0) {
    c.spare = 1;
  }
  if (is_16bit(c.kv)) {
    c.kv = c.q;
    c.k_scale = c.v_scale = 1;
  }
  if (is_16bit(c.out)) c.out = c.q;
  if (c.out != Dtype::e4m3) c.rcp_out_scale = 1;
  if (c.mla()) {
    c.v_scale = c.k_scale;
    if (c.layout == Layout::pool) c.layout = Layout::nhd;
  }
  if (c.sinks != SinkKind::level) c.sink_level = 0;
  settle_drafts(c);
  if (c.rope == RopeStyle::none) {
    c.rotary_dim = 0;
    c.bias = false;
  } else if (c.table == TableKind::aliased) {
    c.table = TableKind::shuffled;
  }
  if (c.data == DataKind::neginf && !is_16bit(c.kv)) c.data = DataKind::normal;
  if (c.kv == Dtype::int8 && c.tail == TailKind::nan) c.tail = TailKind::random;
  if (c.capacity != 0 && c.capacity < c.max_len()) c.capacity = 0;
  if (c.file.empty()) c.file_hash = 0;
  // Last, because rows, beams and formats decide it. Draft lengths of another number of requests are left to
  // `validate`.
  if (c.draft.size() <= 1 || c.draft.size() == c.lens.size()) {
    std::erase_if(c.inject, [&](const Injection& i) { return !fits(c, i); });
  }
  return c;
}

}  // namespace xqacheck::reference
