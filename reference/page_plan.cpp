#include "reference/page_plan.hpp"

#include <algorithm>
#include <numeric>

#include "reference/philox.hpp"

namespace xqacheck::reference {
namespace {

// Element offsets in a far pool lie beyond this: what 32-bit signed arithmetic cannot hold.
constexpr std::int64_t kFarElements = std::int64_t{1} << 31;
// Positions of draws for aliased blocks, apart from those of the shuffle.
constexpr std::uint64_t kAliasPositions = std::uint64_t{1} << 40;
constexpr std::uint32_t kBlocksPerAlias = 3;
constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;

// Slots are pages before they get their place in the pool.
struct Slots {
  std::vector<UsedPage> used;       // page numbers not yet set
  std::vector<std::uint32_t> slot;  // of every (request, beam, block) in order
  std::vector<std::size_t> first;   // [B * W + 1] into `slot`
};

// Full blocks that a request may share with the others without ever being appended to, half of them rounded up.
std::uint32_t shareable_blocks(const Case& c, std::uint32_t request) {
  return (cached_tokens(c, request) / c.page + 1) / 2;
}

void claim(Slots& slots, std::uint32_t slot, const UsedPage& block) {
  UsedPage& owner = slots.used[slot];
  if (block.tokens > owner.tokens) owner = block;
}

Slots assign_slots(const Case& c) {
  Slots s;
  s.first.push_back(0);
  const std::uint32_t requests = c.requests();
  const auto donor = static_cast<std::uint32_t>(std::max_element(c.lens.begin(), c.lens.end()) - c.lens.begin());
  std::uint64_t blocks_in_all = 0;
  for (std::uint32_t b = 0; b < requests; ++b) blocks_in_all += std::uint64_t{blocks_of(c, b)} * c.beam;
  const std::uint64_t aliases = std::max<std::uint64_t>(blocks_in_all / kBlocksPerAlias, 1);
  std::vector<std::uint32_t> alias_slot(c.table == TableKind::aliased ? aliases : 0, kNoSlot);
  std::vector<std::uint32_t> donated(c.table == TableKind::prefix ? shareable_blocks(c, donor) : 0, kNoSlot);

  for (std::uint32_t b = 0; b < requests; ++b) {
    const std::uint32_t shared_blocks = c.beam > 1 ? shared_context(c, b) / c.page : 0;
    const std::uint32_t prefix = std::min<std::uint32_t>(donated.empty() ? 0 : shareable_blocks(c, b),
                                                         static_cast<std::uint32_t>(donated.size()));
    for (std::uint32_t w = 0; w < c.beam; ++w) {
      for (std::uint32_t j = 0; j < blocks_of(c, b); ++j) {
        const UsedPage block{0, 0, b, w, j * c.page, std::min(c.page, c.lens[b] - j * c.page)};
        std::uint32_t fresh = kNoSlot;
        std::uint32_t* slot = &fresh;
        if (w > 0 && j < shared_blocks) {
          slot = &s.slot[s.first[std::size_t{b} * c.beam] + j];
        } else if (j < prefix) {
          slot = &donated[j];
        } else if (!alias_slot.empty()) {
          slot = &alias_slot[draw_below(c.geo, Stream::pages, kAliasPositions + s.slot.size(), aliases)];
        }
        if (*slot == kNoSlot) {
          *slot = static_cast<std::uint32_t>(s.used.size());
          s.used.emplace_back();
        }
        const std::uint32_t chosen = *slot;
        claim(s, chosen, block);
        s.slot.push_back(chosen);
      }
      s.first.push_back(s.slot.size());
    }
  }
  return s;
}

// Place in the pool of slot 0, 1, …: a permutation of `count` pages.
std::vector<std::uint64_t> permutation(const Case& c, std::uint64_t count) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (c.table == TableKind::reversed) std::reverse(order.begin(), order.end());
  if (c.table == TableKind::identity || c.table == TableKind::reversed) return order;
  for (std::uint64_t i = count; i > 1; --i) {  // Fisher-Yates
    std::swap(order[i - 1], order[draw_below(c.geo, Stream::pages, i, i)]);
  }
  return order;
}

std::int32_t unused_entry(const Case& c, const PagePlan& plan, std::size_t position) {
  switch (c.unused) {
    case UnusedEntries::spare:
      return static_cast<std::int32_t>(plan.unused[position % plan.unused.size()]);
    case UnusedEntries::zero:
      return 0;
    case UnusedEntries::minus:
      return -1;
    case UnusedEntries::huge:
      break;
  }
  return 0x7FFFFFFF;
}

void write_table(const Case& c, const Shape& shape, const Slots& slots, PagePlan& plan) {
  plan.table.resize(shape.table_stride_request * shape.requests);
  for (std::size_t i = 0; i < plan.table.size(); ++i) plan.table[i] = unused_entry(c, plan, i);
  for (std::size_t chain = 0; chain + 1 < slots.first.size(); ++chain) {
    std::int32_t* row = plan.table.data() + chain * shape.table_stride_beam;
    for (std::size_t i = slots.first[chain]; i < slots.first[chain + 1]; ++i, ++row) {
      const UsedPage& page = plan.used[slots.slot[i]];
      row[0] = static_cast<std::int32_t>(page.k_page);
      if (shape.table_stride_v != 0) row[shape.table_stride_v] = static_cast<std::int32_t>(page.v_page);
    }
  }
}

PagePlan contiguous(const Case& c) {
  PagePlan plan;
  plan.pages_in_pool = std::uint64_t{c.requests()} * c.beam;
  for (std::uint32_t b = 0; b < c.requests(); ++b) {
    for (std::uint32_t w = 0; w < c.beam; ++w) {
      const std::uint64_t page = std::uint64_t{b} * c.beam + w;
      plan.used.push_back({page, page, b, w, 0, c.lens[b]});
    }
  }
  return plan;
}

}  // namespace

PagePlan plan_pages(const Case& c, const Shape& shape) {
  if (c.page == 0) return contiguous(c);
  const Slots slots = assign_slots(c);
  const std::uint64_t in_use = slots.used.size() * (c.layout == Layout::pool ? 2 : 1);
  const std::vector<std::uint64_t> place = permutation(c, in_use + c.spare);
  // K and V pages have the same size unless MLA makes them one.
  const std::int64_t stride = shape.k.page;
  const std::uint64_t base = c.table == TableKind::far ? (kFarElements + stride - 1) / stride : 0;

  PagePlan plan;
  plan.pages_in_pool = base + place.size();
  plan.used = slots.used;
  for (std::size_t i = 0; i < plan.used.size(); ++i) {
    plan.used[i].k_page = base + place[i];
    plan.used[i].v_page = c.layout == Layout::pool ? base + place[slots.used.size() + i] : plan.used[i].k_page;
  }
  for (std::size_t i = in_use; i < place.size(); ++i) plan.unused.push_back(base + place[i]);
  write_table(c, shape, slots, plan);
  return plan;
}

}  // namespace xqacheck::reference
