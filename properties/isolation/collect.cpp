#include "properties/isolation/collect.hpp"

#include <algorithm>
#include <cstring>

#include "properties/isolation/cache_check.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties::isolation {
namespace {

// True for every byte of `out` that belongs to an element.
std::vector<bool> element_mask(const xqacheck_problem& p, std::uint64_t bytes) {
  const std::uint64_t size = reference::bytes_of_abi(p.out.dtype);
  std::vector<bool> mask(bytes, false);
  for (std::uint32_t row = 0; row < p.total_rows; ++row)
    for (std::uint32_t head = 0; head < p.q_heads; ++head) {
      const auto begin = static_cast<std::uint64_t>(row * p.out_stride_row + head * p.out_stride_head) * size;
      const std::uint64_t end = begin + p.head_dim_v * size;
      if (end <= bytes)
        std::fill(mask.begin() + static_cast<std::ptrdiff_t>(begin), mask.begin() + static_cast<std::ptrdiff_t>(end),
                  true);
    }
  return mask;
}

std::vector<std::byte> copy_out(const SlotPlan& plan, Arena& arena, std::uint32_t slot) {
  if (plan.access == Access::none || plan.bytes == 0) return {};
  const std::byte* begin = arena.slot(slot, plan.map_end) + plan.data;
  return {begin, begin + plan.bytes};
}

}  // namespace

void find_damage_around(const SlotPlan& plan, const std::byte* slot_memory, const Pattern& canary,
                        const std::string& name, std::vector<Damage>& damage) {
  const AroundMismatch around = check_around(canary, plan, slot_memory);
  if (around.before)
    damage.push_back(
        {"before " + name,
         static_cast<std::int64_t>(plan.map_begin + around.before->first) - static_cast<std::int64_t>(plan.data),
         around.before->count});
  if (around.after)
    damage.push_back(
        {"after " + name, static_cast<std::int64_t>(plan.bytes + around.after->first), around.after->count});
}

void find_damaged_gaps(const xqacheck_problem& problem, const std::byte* out, std::uint64_t bytes, const Pattern& fill,
                       std::uint64_t offset, std::vector<Damage>& damage) {
  const std::uint64_t elements = std::uint64_t{problem.total_rows} * problem.q_heads * problem.head_dim_v;
  if (elements * reference::bytes_of_abi(problem.out.dtype) == bytes) return;  // dense
  const std::vector<bool> mask = element_mask(problem, bytes);
  std::vector<std::byte> untouched(bytes);
  write_pattern(fill, offset, untouched.data(), bytes);
  Damage gap{"gap of out", 0, 0};
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (!mask[i] && out[i] != untouched[i] && gap.bytes++ == 0) gap.offset = static_cast<std::int64_t>(i);
  if (gap.bytes != 0) damage.push_back(gap);
}

void collect(const reference::Problem& problem, const RunOptions& options, const CaseLayout& layout, Arena& arena,
             Outcome& outcome) {
  const CaseRequest& request = layout.request;
  const std::uint32_t out_slot = slot_of(reference::TensorId::out), lse_slot = slot_of(reference::TensorId::lse);
  const SlotPlan& out = request.plans[out_slot];
  outcome.out = copy_out(out, arena, out_slot);
  outcome.lse = copy_out(request.plans[lse_slot], arena, lse_slot);
  for (std::uint32_t slot = kFirstTensorSlot; slot < kSlotCount; ++slot) {
    const SlotPlan& plan = request.plans[slot];
    if (plan.access != Access::write) continue;
    find_damage_around(plan, arena.slot(slot, plan.map_end), canary_pattern(options.fill_seed, slot), slot_name(slot),
                       outcome.damage);
  }
  if (!outcome.out.empty())
    find_damaged_gaps(layout.view, outcome.out.data(), outcome.out.size(),
                      output_pattern(options, out_slot, layout.view.out.dtype), out.data, outcome.damage);
  if (layout.view.rope_kind != XQACHECK_ROPE_NONE)
    check_cache(problem, arena.slot(layout.k.slot, 0) + layout.k.offset, arena.slot(layout.v.slot, 0) + layout.v.offset,
                outcome);
}

}  // namespace xqacheck::properties::isolation
