// Takes a finished run's results out of the shared memory and looks for damage.
#pragma once

#include "properties/isolation/arena.hpp"
#include "properties/isolation/case_layout.hpp"
#include "properties/outcome.hpp"

namespace xqacheck::properties::isolation {

// Adds output, LSE, state and damage to `outcome`. `layout.request` holds the plans of all slots, scratch and state
// too.
void collect(const reference::Problem& problem, const RunOptions& options, const CaseLayout& layout, Arena& arena,
             Outcome& outcome);

// Changed canaries around one buffer.
void find_damage_around(const SlotPlan& plan, const std::byte* slot_memory, const Pattern& canary,
                        const std::string& name, std::vector<Damage>& damage);

// Bytes of `out` that belong to no element and no longer hold the fill: stride gaps. `out` starts `offset` bytes into
// its slot.
void find_damaged_gaps(const xqacheck_problem& problem, const std::byte* out, std::uint64_t bytes, const Pattern& fill,
                       std::uint64_t offset, std::vector<Damage>& damage);

}  // namespace xqacheck::properties::isolation
